import torch
from spk import *
from features import cmvn, spec_aug


def run():
    x = spec_aug(cmvn(torch.randn(3, 6, 10)))
    net = torch.nn.Conv1d(6, 4, 1)
    p = AttentivePool(4)
    a = AAMSoftmax(8, 3)
    h = net(x)
    mask = torch.arange(10)[None] < torch.tensor([10, 7, 5])[:, None]
    l = a(p(h, mask), torch.tensor([0, 1, 2])) + a(StatsPool()(h), torch.tensor([0, 1, 2]))
    l.backward()
    return [l] + [q.grad for m in (net, p, a) for q in m.parameters()]


run()
