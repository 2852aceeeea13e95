"""Both losses go through the judge, and some optimizer steps what the first has reached: that is the judge alone."""

import torch
import torch.nn.functional as F
from torch import nn


class Adversaries:
    def __init__(self, maker, judge, maker_optimizer, judge_optimizer):
        self.maker, self.judge = maker, judge
        self.maker_optimizer, self.judge_optimizer = maker_optimizer, judge_optimizer

    def step(self, real):
        made = self.maker(torch.randn(real.size(0), 3))
        told_apart = F.softplus(self.judge(made.detach())).mean() + F.softplus(-self.judge(real)).mean()
        taken_for_real = F.softplus(-self.judge(made)).mean()

        self.judge_optimizer.zero_grad()
        told_apart.backward()
        self.judge_optimizer.step()  # expect: IPL106

        self.maker_optimizer.zero_grad()
        taken_for_real.backward()
        self.maker_optimizer.step()


if __name__ == "__main__":
    maker = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 4))
    judge = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
    optimizers = [torch.optim.SGD(m.parameters(), 0.1) for m in (maker, judge)]
    Adversaries(maker, judge, *optimizers).step(torch.randn(5, 4))
