import torch
from sn import Discriminator


def run():
    m = Discriminator(4)
    l = m.hinge(torch.randn(3, 4), torch.randn(3, 4))
    l.backward()
    return [l] + [p.grad for p in m.parameters()]


run()
