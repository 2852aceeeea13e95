import torch


class Gate:
    # inplace-lint: returns(new)  # expect: IPL004
    def flat(self, x: torch.Tensor):
        return x.view(-1)


x = torch.ones(3, 2)
changed = Gate().flat(x).data_ptr() == x.data_ptr()
