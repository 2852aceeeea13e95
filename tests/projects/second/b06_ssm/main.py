import torch
from ssm import SSMLayer


def run():
    m = SSMLayer(4)
    o = m(torch.randn(2, 5, 4))
    o.sum().backward()
    return [o] + [p.grad for p in m.parameters()]


run()
