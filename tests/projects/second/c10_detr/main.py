import torch
from detr import BoxHead, Criterion


def run():
    m = BoxHead(6)
    p = m(torch.randn(5, 6))
    l, v = Criterion()(p, torch.rand(5, 4) * 0.5 + 0.2)
    l.backward()
    return [l, v] + [q.grad for q in m.parameters()]


run()
