"""A method runs one backward and steps; called for two losses of one forward, it steps before the second backward."""

import torch
from torch import nn


class Learner:
    def __init__(self, net):
        self.net = net
        self.optimizer = torch.optim.SGD(net.parameters(), lr=0.1)

    def apply(self, loss, keep=False):
        self.optimizer.zero_grad()
        loss.backward(retain_graph=keep)
        self.optimizer.step()

    def learn(self, x):
        out = self.net(x)
        self.apply(out.mean(), keep=True)  # expect: IPL106
        self.apply(out.pow(2).mean())


Learner(nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 2))).learn(torch.rand(5, 3))
