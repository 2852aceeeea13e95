import torch


# inplace-lint: returns(new)  # expect: IPL004
def scaled(x, factor):
    x.mul_(factor)
    return x + 1


x = torch.ones(3)
scaled(x, 2.0)
changed = bool((x != 1).any())
