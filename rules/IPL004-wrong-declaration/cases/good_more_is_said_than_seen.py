import torch


def launch(kernel, *arguments):
    kernel(*(argument.detach() for argument in arguments))


# inplace-lint: writes(out), saves(x), returns(same(out))
def fused(x, out):
    launch(lambda x, out: out.copy_(x), x, out)
    return out


x = torch.ones(3)
out = torch.zeros(3)
changed = not bool((fused(x, out) == 1).all())
