"""Soft actor critic, twin critics, learned temperature."""
from __future__ import annotations
import copy, math, random
from collections import deque
import torch
import torch.nn.functional as F
from torch import nn, optim


def mlp(sizes, act=nn.ReLU):
    layers = []
    for i, (a, b) in enumerate(zip(sizes[:-1], sizes[1:])):
        layers.append(nn.Linear(a, b))
        if i < len(sizes) - 2:
            layers.append(act())
    return nn.Sequential(*layers)


class SquashedGaussian(nn.Module):
    def __init__(self, obs, act):
        super().__init__()
        self.net = mlp([obs, 32, 2 * act])

    def forward(self, obs):
        mu, log_std = self.net(obs).chunk(2, -1)
        log_std = log_std.clamp(-5, 1)
        eps = torch.randn_like(mu)
        u = mu + log_std.exp() * eps
        logp = (-0.5 * eps**2 - log_std - 0.5 * math.log(2 * math.pi)).sum(-1)
        logp -= (2 * (math.log(2) - u - F.softplus(-2 * u))).sum(-1)
        return torch.tanh(u), logp


class TwinQ(nn.Module):
    def __init__(self, obs, act):
        super().__init__()
        self.a, self.b = mlp([obs + act, 32, 1]), mlp([obs + act, 32, 1])

    def forward(self, s, a):
        x = torch.cat([s, a], -1)
        return self.a(x).squeeze(-1), self.b(x).squeeze(-1)

    def lowest(self, s, a):
        return torch.min(*self(s, a))


class SAC:
    def __init__(self, obs, act, gamma=0.99, tau=0.02, lr=3e-3):
        self.pi, self.q = SquashedGaussian(obs, act), TwinQ(obs, act)
        self.q_targ = copy.deepcopy(self.q).requires_grad_(False)
        self.log_alpha = torch.zeros((), requires_grad=True)
        self.gamma, self.tau, self.target_entropy = gamma, tau, -float(act)
        self.opt_pi = optim.Adam(self.pi.parameters(), lr)
        self.opt_q = optim.Adam(self.q.parameters(), lr)
        self.opt_alpha = optim.Adam([self.log_alpha], lr)

    @torch.no_grad()
    def polyak(self):
        for p, q in zip(self.q.parameters(), self.q_targ.parameters()):
            q.lerp_(p, self.tau)

    def critic_loss(self, s, a, r, s2, done):
        with torch.no_grad():
            a2, lp2 = self.pi(s2)
            y = self.q_targ.lowest(s2, a2)
            y -= self.log_alpha.exp() * lp2
            y.mul_(self.gamma * (1 - done)).add_(r)
        q1, q2 = self.q(s, a)
        return F.mse_loss(q1, y) + F.mse_loss(q2, y)

    def actor_loss(self, s):
        a, lp = self.pi(s)
        return (self.log_alpha.exp().detach() * lp - self.q.lowest(s, a)).mean(), lp.detach()

    def update(self, batch):
        lq = self.critic_loss(*batch)
        self.opt_q.zero_grad()
        lq.backward()
        self.opt_q.step()
        lp_loss, lp = self.actor_loss(batch[0])
        self.opt_pi.zero_grad()
        lp_loss.backward()
        self.opt_pi.step()
        la = -(self.log_alpha * (lp + self.target_entropy)).mean()
        self.opt_alpha.zero_grad()
        la.backward()
        self.opt_alpha.step()
        self.polyak()
        return lq.item(), lp_loss.item(), self.log_alpha.item()


def sample(replay, n):
    return [torch.stack(c) for c in zip(*random.sample(replay, n))]


# --- driver ---
torch.manual_seed(12); random.seed(12)
replay = deque(maxlen=200)
for _ in range(64):
    replay.append((torch.randn(3), torch.rand(2) * 2 - 1, torch.randn(()), torch.randn(3), (torch.rand(()) < 0.1).float()))
agent = SAC(3, 2)
for _ in range(4):
    print(agent.update(sample(replay, 16)))
