import torch
from simclr import InstanceModel
from data import Indexed


def run():
    m = InstanceModel(12, 4, 5)
    o = []
    for x, i in Indexed(12, 4).batches(4):
        l = m(x, i)
        l.backward()
        o.append(l)
    return o + [p.grad for p in m.parameters()]


run()
