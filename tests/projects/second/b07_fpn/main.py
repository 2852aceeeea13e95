import torch
from fpn import FPN


def run():
    m = FPN([3, 6], 4)
    o = m([torch.randn(1, 3, 8, 8), torch.randn(1, 6, 4, 4)])
    (o[0].sum() + o[1].sum()).backward()
    return o + [p.grad for p in m.parameters()]


run()
