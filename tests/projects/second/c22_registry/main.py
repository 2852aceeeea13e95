import torch
from zoo import build


def run():
    out = []
    for n in ("plain", "gated"):
        m = build(n, d=4)
        x = torch.randn(3, 4, requires_grad=True)
        o = m(x)
        o.pow(2).sum().backward()
        out += [o, x.grad] + [p.grad for p in m.parameters()]
    return out


run()
