"""Reptile: walk towards the weights that each task ends up with."""
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass

import torch
import torch.nn as nn
import torch.nn.functional as F


@dataclass
class ReptileConfig:
    inner_lr: float = 0.05
    inner_steps: int = 3
    meta_lr: float = 0.5
    tasks_per_step: int = 2
    ways: int = 3
    shots: int = 2


class GaussianWays:
    def __init__(self, ways, shots, dim):
        self.ways, self.shots, self.dim = ways, shots, dim

    def __call__(self):
        centres = torch.randn(self.ways, self.dim).mul_(2)
        x = centres.repeat_interleave(self.shots, 0)
        x += 0.3 * torch.randn_like(x)
        y = torch.arange(self.ways).repeat_interleave(self.shots)
        p = torch.randperm(len(y))
        return x[p], y[p]


class Net(nn.Module):
    def __init__(self, dim, ways):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(dim, 12), nn.ReLU(inplace=True), nn.Linear(12, 12), nn.ReLU(inplace=True))
        self.head = nn.Linear(12, ways)

    def forward(self, x):
        return self.head(self.body(x))


@contextmanager
def restored(net):
    saved = [p.detach().clone() for p in net.parameters()]
    try:
        yield saved
    finally:
        with torch.no_grad():
            for p, s in zip(net.parameters(), saved):
                p.copy_(s)


class Reptile:
    def __init__(self, net, sampler, cfg):
        self.net, self.sampler, self.cfg = net, sampler, cfg
        self.meta_opt = torch.optim.SGD(net.parameters(), lr=cfg.meta_lr)

    def inner(self, x, y):
        for _ in range(self.cfg.inner_steps):
            loss = F.cross_entropy(self.net(x), y)
            grads = torch.autograd.grad(loss, list(self.net.parameters()))
            with torch.no_grad():
                for p, g in zip(self.net.parameters(), grads):
                    p.sub_(g, alpha=self.cfg.inner_lr)
        return loss.item()

    def meta_step(self):
        total = [torch.zeros_like(p) for p in self.net.parameters()]
        for _ in range(self.cfg.tasks_per_step):
            with restored(self.net) as start:
                self.inner(*self.sampler())
                for t, s, p in zip(total, start, self.net.parameters()):
                    t.add_(s - p.detach())
        for p, t in zip(self.net.parameters(), total):
            p.grad = t.div_(self.cfg.tasks_per_step)
        self.meta_opt.step()

    def evaluate(self, tasks=1):
        accs = []
        for _ in range(tasks):
            probe = deepcopy(self.net)
            x, y = self.sampler()
            with restored(self.net):
                self.inner(x, y)
                accs.append((self.net(x).argmax(-1) == y).float().mean().item())
            assert all(torch.equal(a, b) for a, b in zip(probe.parameters(), self.net.parameters()))
        return sum(accs) / tasks


# --- driver ---
torch.manual_seed(56)
cfg = ReptileConfig()
meta = Reptile(Net(4, cfg.ways), GaussianWays(cfg.ways, cfg.shots, 4), cfg)
meta.meta_step()
meta.evaluate()
