import torch
from gnn import Net


def run():
    m = Net(4, 6, 3)
    x = torch.randn(5, 4, requires_grad=True)
    o = m(x, torch.randint(5, (2, 12)))
    o.pow(2).sum().backward()
    return [o, x.grad] + [p.grad for p in m.parameters()]


run()
