import torch
from net import Net


def run():
    m = Net(4)
    o = m(torch.randn(5, 4))
    (o * torch.randn(5, 4)).sum().backward()
    return [o] + [p.grad for p in m.parameters()]


run()
