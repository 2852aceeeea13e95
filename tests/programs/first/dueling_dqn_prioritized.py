"""Dueling double DQN with prioritised replay and noisy layers."""
import copy
import math

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F


class NoisyLinear(nn.Module):
    def __init__(self, d_in, d_out, sigma0=0.5):
        super().__init__()
        b = 1 / math.sqrt(d_in)
        self.w_mu = nn.Parameter(torch.empty(d_out, d_in).uniform_(-b, b))
        self.b_mu = nn.Parameter(torch.empty(d_out).uniform_(-b, b))
        self.w_sigma = nn.Parameter(torch.full((d_out, d_in), sigma0 * b))
        self.b_sigma = nn.Parameter(torch.full((d_out,), sigma0 * b))
        self.register_buffer('w_eps', torch.zeros(d_out, d_in))
        self.register_buffer('b_eps', torch.zeros(d_out))

    @staticmethod
    def _f(n):
        x = torch.randn(n)
        return x.sign().mul_(x.abs().sqrt_())

    def resample(self):
        ei, eo = self._f(self.w_eps.size(1)), self._f(self.w_eps.size(0))
        self.w_eps.copy_(torch.outer(eo, ei))
        self.b_eps.copy_(eo)

    def forward(self, x):
        if not self.training:
            return F.linear(x, self.w_mu, self.b_mu)
        return F.linear(x, self.w_mu + self.w_sigma * self.w_eps, self.b_mu + self.b_sigma * self.b_eps)


class DuelingNet(nn.Module):
    def __init__(self, obs, n_act, h=24):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(obs, h), nn.ReLU(inplace=True))
        self.val, self.adv = NoisyLinear(h, 1), NoisyLinear(h, n_act)

    def resample(self):
        self.val.resample()
        self.adv.resample()

    def forward(self, x):
        h = self.body(x)
        a = self.adv(h)
        q = a - a.mean(1, keepdim=True)
        q += self.val(h)
        return q


class PrioritizedReplay:
    def __init__(self, cap, obs, alpha=0.6):
        self.obs, self.nxt = np.zeros((cap, obs), np.float32), np.zeros((cap, obs), np.float32)
        self.act, self.rew, self.done = np.zeros(cap, np.int64), np.zeros(cap, np.float32), np.zeros(cap, np.float32)
        self.prio, self.cap, self.alpha, self.n, self.i = np.zeros(cap), cap, alpha, 0, 0

    def add(self, o, a, r, n, d):
        i = self.i
        self.obs[i], self.act[i], self.rew[i], self.nxt[i], self.done[i] = o, a, r, n, d
        self.prio[i] = self.prio.max() or 1.0
        self.i, self.n = (i + 1) % self.cap, min(self.n + 1, self.cap)

    def sample(self, k, beta):
        p = self.prio[:self.n] ** self.alpha
        p /= p.sum()
        idx = np.random.choice(self.n, k, p=p)
        w = (self.n * p[idx]) ** -beta
        w /= w.max()
        cols = [torch.from_numpy(c[idx]) for c in (self.obs, self.act, self.rew, self.nxt, self.done)]
        return idx, torch.from_numpy(w).float(), cols

    def update(self, idx, td):
        self.prio[idx] = np.abs(td) + 1e-5


class DQNAgent:
    def __init__(self, obs, n_act, gamma=0.99, tau=0.05, lr=1e-3):
        self.q = DuelingNet(obs, n_act)
        self.target = copy.deepcopy(self.q).requires_grad_(False)
        self.gamma, self.tau = gamma, tau
        self.opt = torch.optim.Adam(self.q.parameters(), lr=lr)

    def learn(self, replay, k=8, beta=0.4):
        idx, w, (o, a, r, n, d) = replay.sample(k, beta)
        self.q.resample()
        with torch.no_grad():
            best = self.q(n).argmax(1, keepdim=True)
            tq = self.target(n).gather(1, best).squeeze(1)
            tq.mul_(1 - d).mul_(self.gamma).add_(r)
        qa = self.q(o).gather(1, a.unsqueeze(1)).squeeze(1)
        td = qa - tq
        loss = (w * F.smooth_l1_loss(qa, tq, reduction='none')).mean()
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        replay.update(idx, td.detach().numpy())
        self.sync()
        return loss.item()

    @torch.no_grad()
    def sync(self):
        for p, t in zip(self.q.parameters(), self.target.parameters()):
            t.mul_(1 - self.tau).add_(self.tau * p)
        self.target.resample()


# --- driver ---
replay, agent = PrioritizedReplay(50, 4), DQNAgent(4, 3)
for _ in range(20):
    replay.add(np.random.randn(4), np.random.randint(3), np.random.randn(), np.random.randn(4), 0.0)
print([agent.learn(replay) for _ in range(3)])
