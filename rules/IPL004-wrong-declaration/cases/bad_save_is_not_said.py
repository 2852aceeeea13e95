import torch


def gate(x, weight: torch.Tensor):  # inplace-lint: saves(x), returns(new)  # expect: IPL004
    return torch.exp(x * weight)


x = torch.ones(3, requires_grad=True)
y = gate(x, torch.ones(3))
kept = y.grad_fn._saved_result
changed = kept.data_ptr() == y.data_ptr()
