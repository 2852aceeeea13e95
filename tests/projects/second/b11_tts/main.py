import torch
from tts import Acoustic


def run():
    m = Acoustic(4, 5)
    o = m(torch.randn(2, 4, 9))
    o.sum().backward()
    return [o] + [p.grad for p in m.parameters() if p.grad is not None]


run()
