import torch
from gen import Decoder


def run():
    m = Decoder(5, 8, 2, 6)
    l = m.rollout(torch.zeros(3, dtype=torch.long), 4).mean()
    l.backward()
    return [l] + [p.grad for p in m.parameters()]


run()
