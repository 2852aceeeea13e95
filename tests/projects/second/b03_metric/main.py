import torch
from metric import TripletLoss


def run():
    m = TripletLoss(6, 4, margin=5.0)
    l = m(torch.randn(8, 6), torch.tensor([0, 0, 1, 1, 2, 2, 3, 3]))
    l.backward()
    return [l] + [p.grad for p in m.parameters()]


run()
