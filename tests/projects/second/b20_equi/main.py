import torch
from equi import EGNN
from equi.data import Graph


def run():
    m = EGNN(4, 2)
    o = m(Graph(torch.randn(5, 4), torch.randn(5, 3), torch.randint(5, (2, 9))))
    o.sum().backward()
    return [o] + [p.grad for p in m.parameters()]


run()
