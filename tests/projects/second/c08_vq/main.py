import torch
from vq import VQVAE
from losses import total_loss


def run():
    m = VQVAE(4, 3, 5)
    out = []
    for _ in range(2):
        x = torch.randn(6, 4)
        l = total_loss(*(lambda r: (r[0], x, r[1]))(m(x)))
        l.backward()
        out.append(l)
    return out + [p.grad for p in m.parameters()]


run()
