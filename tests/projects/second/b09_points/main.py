import torch
from points import SetAbstraction


def run():
    m = SetAbstraction(3, (3, 8, 6))
    o = m(torch.randn(2, 7, 3))
    o.sum().backward()
    return [o] + [p.grad for p in m.parameters()]


run()
