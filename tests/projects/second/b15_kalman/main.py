import torch
from kf import KalmanFilter


def run():
    m = KalmanFilter(2, 2)
    l = m(torch.randn(3, 4, 2))
    l.backward()
    return [l] + [p.grad for p in m.parameters()]


run()
