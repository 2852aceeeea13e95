import torch
from fm import DeepFM


def run():
    m = DeepFM((3, 4))
    o, z = m(torch.randint(3, (5, 2)))
    o.sum().backward()
    return [o, z] + [p.grad for p in m.parameters()]


run()
