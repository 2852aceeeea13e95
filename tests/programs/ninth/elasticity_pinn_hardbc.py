import math
from abc import ABC, abstractmethod

import torch
import torch.nn as nn


class Domain(ABC):
    @abstractmethod
    def sample(self, n, gen):
        ...

    @abstractmethod
    def distance(self, p):
        ...


class Rectangle(Domain):
    def __init__(self, w, h):
        self.size = torch.tensor([w, h])

    def sample(self, n, gen):
        p = torch.rand(n, 2, generator=gen)
        p *= self.size
        return p

    def edge(self, n, gen):
        p = self.sample(n, gen)
        side = torch.randint(0, 4, (n,), generator=gen)
        p[side == 0, 0] = 0
        p[side == 1, 0] = self.size[0]
        p[side == 2, 1] = 0
        p[side == 3, 1] = self.size[1]
        return p

    def distance(self, p):
        return (p * (self.size - p)).prod(-1, keepdim=True)


class FourierNet(nn.Module):
    def __init__(self, width=16, m=4, scale=1.0):
        super().__init__()
        self.register_buffer("B", torch.randn(2, m).mul_(scale * 2 * math.pi))
        self.l1, self.l2, self.l3 = nn.Linear(2 * m, width), nn.Linear(width, width), nn.Linear(width, 1)

    def forward(self, p):
        z = p @ self.B
        h = torch.cat([z.sin(), z.cos()], -1)
        h = torch.tanh(self.l1(h))
        h = torch.tanh(self.l2(h))
        return self.l3(h)


class Poisson:
    def __init__(self, domain, source):
        self.domain, self.source = domain, source

    def solution(self, net, p):
        u = net(p)
        u *= self.domain.distance(p)
        return u

    def residual(self, net, p):
        p.requires_grad_(True)
        u = self.solution(net, p)
        g, = torch.autograd.grad(u.sum(), p, create_graph=True)
        lap = torch.zeros(len(p))
        for i in range(p.size(1)):
            h, = torch.autograd.grad(g[:, i].sum(), p, create_graph=True)
            lap += h[:, i]
        lap += self.source(p.detach())
        return lap


class ResidualSampler:
    """Moves part of the collocation cloud to where the residual is large."""

    def __init__(self, domain, n, gen, refresh=0.25):
        self.domain, self.gen, self.k = domain, gen, int(n * refresh)
        self.points = domain.sample(n, gen)
        self.weight = torch.ones(n)

    def draw(self):
        return self.points.clone(), self.weight

    @torch.no_grad()
    def update(self, res):
        score = res.abs()
        worst = score.argmin() if self.k == 1 else score.topk(self.k, largest=False).indices
        self.points[worst] = self.domain.sample(self.k, self.gen)
        score.div_(score.mean() + 1e-9)
        self.weight.mul_(0.9).add_(score, alpha=0.1).clamp_(0.1, 10)


def solve(problem, net, steps, n=16):
    gen = torch.Generator().manual_seed(0)
    sampler = ResidualSampler(problem.domain, n, gen)
    opt = torch.optim.Adam(net.parameters(), lr=1e-3)
    for _ in range(steps):
        pts, w = sampler.draw()
        res = problem.residual(net, pts)
        edge = problem.solution(net, problem.domain.edge(8, gen))
        loss = (w * res.pow(2)).mean() + edge.pow(2).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        sampler.update(res.detach())
    return loss.item()


# --- driver ---
torch.manual_seed(20)
problem = Poisson(Rectangle(1.0, 2.0), lambda p: p.prod(-1).sin_())
print(solve(problem, FourierNet(), 2))
