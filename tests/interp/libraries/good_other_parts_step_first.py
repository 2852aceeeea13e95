"""Optimizers step between two backwards what the second does not need, as far as anybody can tell."""

import torch
import torch.nn.functional as F
from torch import nn


class Heads:
    def __init__(self, trunk, first, second, optimizers):
        self.trunk, self.first, self.second = trunk, first, second
        self.optimizers = optimizers

    def step(self, x, y):
        h = self.trunk(x)
        one = F.mse_loss(self.first(h), y)
        other = F.mse_loss(self.second(h), y)
        for optimizer in self.optimizers:
            optimizer.zero_grad()
        one.backward(retain_graph=True)
        self.optimizers[0].step()  # the first head's
        other.backward()
        self.optimizers[1].step()


def by_a_criterion(criterion, first, second, x, y, optimizers):
    one = criterion(first, x, y)
    other = criterion(second, x, y)
    for loss, optimizer in ((one, optimizers[0]), (other, optimizers[1])):
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


class Adversaries:
    def __init__(self, maker, judge, maker_optimizer, judge_optimizer, schedule):
        self.maker, self.judge = maker, judge
        self.maker_optimizer, self.judge_optimizer = maker_optimizer, judge_optimizer
        self.schedule = schedule

    def step(self, real):
        made = self.maker(torch.randn(real.size(0), 3))
        told_apart = F.softplus(self.judge(made.detach())).mean() + F.softplus(-self.judge(real)).mean()
        self.judge_optimizer.zero_grad()
        told_apart.backward()
        self.judge_optimizer.step()
        taken_for_real = F.softplus(-self.judge(made)).mean()
        self.maker_optimizer.zero_grad()
        taken_for_real.backward(retain_graph=True)
        self.schedule.step()
        taken_for_real.backward()
        self.maker_optimizer.step()


if __name__ == "__main__":

    def net(*sizes):
        return nn.Sequential(nn.Linear(sizes[0], 8), nn.ReLU(), nn.Linear(8, sizes[1]))

    def sgd(module):
        return torch.optim.SGD(module.parameters(), 0.1)

    trunk, first, second = net(3, 4), net(4, 2), net(4, 2)
    x, y = torch.randn(5, 3), torch.randn(5, 2)
    Heads(trunk, first, second, [sgd(first), sgd(second)]).step(x, y)
    first, second = net(3, 2), net(3, 2)
    by_a_criterion(
        lambda model, x, y: F.mse_loss(model(x), y), first, second, x, y, [sgd(first), sgd(second)]
    )
    maker, judge = net(3, 4), net(4, 1)
    opt = sgd(maker)
    schedule = torch.optim.lr_scheduler.StepLR(opt, 1)
    Adversaries(maker, judge, opt, sgd(judge), schedule).step(torch.randn(5, 4))
