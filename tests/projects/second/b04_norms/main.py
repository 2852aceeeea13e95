import torch
from torch import nn
from norms import SandwichNorm


def run():
    m = SandwichNorm(6)
    x = torch.randn(3, 6, requires_grad=True)
    o = m(x)
    o.pow(2).sum().backward()
    return [o, x.grad] + [p.grad for p in m.parameters()]


run()
