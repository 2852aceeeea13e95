"""Soft actor-critic update on random transitions with twin critics."""
import copy
from dataclasses import dataclass

import torch
import torch.nn as nn
import torch.nn.functional as F


@dataclass
class Batch:
    obs: torch.Tensor
    act: torch.Tensor
    rew: torch.Tensor
    nxt: torch.Tensor
    done: torch.Tensor


class ReplayBuffer:
    def __init__(self, size, obs_dim, act_dim):
        self.obs = torch.zeros(size, obs_dim)
        self.nxt = torch.zeros(size, obs_dim)
        self.act = torch.zeros(size, act_dim)
        self.rew = torch.zeros(size)
        self.done = torch.zeros(size)
        self.size, self.ptr, self.full = size, 0, False

    def add(self, obs, act, rew, nxt, done):
        i = self.ptr
        self.obs[i] = obs
        self.act[i] = act
        self.rew[i] = rew
        self.nxt[i] = nxt
        self.done[i] = done
        self.ptr = (i + 1) % self.size
        self.full = self.full or self.ptr == 0

    def sample(self, n):
        hi = self.size if self.full else self.ptr
        idx = torch.randint(0, hi, (n,))
        return Batch(self.obs[idx], self.act[idx], self.rew[idx], self.nxt[idx], self.done[idx])


def net(i, o, h=32):
    return nn.Sequential(nn.Linear(i, h), nn.ReLU(), nn.Linear(h, h), nn.ReLU(), nn.Linear(h, o))


class Policy(nn.Module):
    def __init__(self, obs_dim, act_dim):
        super().__init__()
        self.body = net(obs_dim, act_dim * 2)

    def forward(self, obs):
        mu, log_std = self.body(obs).chunk(2, dim=-1)
        dist = torch.distributions.Normal(mu, log_std.clamp(-5, 2).exp())
        u = dist.rsample()
        a = torch.tanh(u)
        logp = dist.log_prob(u).sum(-1)
        logp = logp - torch.log(1 - a.pow(2) + 1e-6).sum(-1)
        return a, logp


class TwinQ(nn.Module):
    def __init__(self, obs_dim, act_dim):
        super().__init__()
        self.q1, self.q2 = net(obs_dim + act_dim, 1), net(obs_dim + act_dim, 1)

    def forward(self, obs, act):
        x = torch.cat([obs, act], dim=-1)
        return self.q1(x).squeeze(-1), self.q2(x).squeeze(-1)


class SAC:
    def __init__(self, obs_dim, act_dim, gamma=0.99, tau=0.01, alpha=0.2):
        self.pi, self.q = Policy(obs_dim, act_dim), TwinQ(obs_dim, act_dim)
        self.q_target = copy.deepcopy(self.q).requires_grad_(False)
        self.pi_opt = torch.optim.Adam(self.pi.parameters(), lr=3e-4)
        self.q_opt = torch.optim.Adam(self.q.parameters(), lr=3e-4)
        self.gamma, self.tau, self.alpha = gamma, tau, alpha

    def update(self, b):
        with torch.no_grad():
            a2, logp2 = self.pi(b.nxt)
            t1, t2 = self.q_target(b.nxt, a2)
            target = torch.min(t1, t2).sub_(logp2, alpha=self.alpha)
            target.mul_(1 - b.done).mul_(self.gamma).add_(b.rew)
        q1, q2 = self.q(b.obs, b.act)
        q_loss = F.mse_loss(q1, target) + F.mse_loss(q2, target)
        self.q_opt.zero_grad()
        q_loss.backward()
        self.q_opt.step()

        self.q.requires_grad_(False)
        a, logp = self.pi(b.obs)
        pi_loss = (self.alpha * logp - torch.min(*self.q(b.obs, a))).mean()
        self.pi_opt.zero_grad()
        pi_loss.backward()
        self.pi_opt.step()
        self.q.requires_grad_(True)
        self.soft_update()

    @torch.no_grad()
    def soft_update(self):
        for p, tp in zip(self.q.parameters(), self.q_target.parameters()):
            tp.lerp_(p, self.tau)


# --- driver ---
torch.manual_seed(0)
buf = ReplayBuffer(32, 5, 2)
for _ in range(20):
    buf.add(torch.randn(5), torch.rand(2) * 2 - 1, torch.rand(()), torch.randn(5), 0.0)
agent = SAC(5, 2)
for _ in range(2):
    agent.update(buf.sample(8))
