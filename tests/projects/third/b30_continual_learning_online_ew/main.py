import copy
import torch
import torch.nn as nn
import torch.nn.functional as F
from ewc import OnlineEWC


class Net(nn.Module):
    def __init__(self, d=10, h=24, n=2):
        super(Net, self).__init__()
        self.f = nn.Sequential(nn.Linear(d, h), nn.ReLU(True), nn.Linear(h, h), nn.ReLU(True))
        self.c = nn.Linear(h, n)

    def forward(self, x):
        return self.c(self.f(x))


class PermutedTask(object):
    def __init__(self, seed, d=10):
        g = torch.Generator().manual_seed(seed)
        self.perm = torch.randperm(d, generator=g)

    def batches(self, n, bs=16):
        for _ in range(n):
            x = torch.randn(bs, 10)
            y = (x[:, 0] + x[:, 1] > 0).long()
            yield x[:, self.perm], y


def train_task(net, task, reg, opt, n=4):
    for x, y in task.batches(n):
        out = net(x)
        ce = F.cross_entropy(out, y)
        opt.zero_grad()
        pen = reg.penalty()
        loss = ce + pen
        reg.observe(ce)
        loss.backward()
        opt.step()
    reg.consolidate()
    print('ce %.4f penalty %.6f' % (ce.item(), float(pen)))


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    net = Net()
    reg = OnlineEWC(net, lam=10.)
    for t in range(3):
        opt = torch.optim.SGD(net.parameters(), lr=0.05)
        train_task(net, PermutedTask(t), reg, opt)


if __name__ == '__main__':
    main()
