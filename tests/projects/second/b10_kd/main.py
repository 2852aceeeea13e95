import torch
from torch import nn
from kd import Distiller


def run():
    mk = lambda: nn.Sequential(nn.Linear(4, 6), nn.Tanh(), nn.Linear(6, 3))
    s, t = mk(), mk()
    l = Distiller(s, t, ["1"])(torch.randn(5, 4))
    l.backward()
    return [l] + [p.grad for p in s.parameters()]


run()
