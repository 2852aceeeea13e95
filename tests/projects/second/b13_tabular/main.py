import torch
from tab import TabConfig, TabTransformer


def run():
    m = TabTransformer(TabConfig())
    o = m(torch.randint(3, (4, 2)), torch.randn(4, 2))
    o.sum().backward()
    return [o] + [p.grad for p in m.parameters()]


run()
