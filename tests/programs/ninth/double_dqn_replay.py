import copy
import random

import torch
import torch.nn as nn


class RingReplay:
    def __init__(self, cap, obs_dim):
        self.s = torch.zeros(cap, obs_dim)
        self.s2 = torch.zeros(cap, obs_dim)
        self.a = torch.zeros(cap, dtype=torch.long)
        self.r = torch.zeros(cap)
        self.d = torch.zeros(cap)
        self.prio = torch.zeros(cap)
        self.cap, self.n, self.i = cap, 0, 0

    def add(self, s, a, r, s2, d):
        i = self.i
        self.s[i], self.s2[i] = s, s2
        self.a[i], self.r[i], self.d[i] = a, r, float(d)
        self.prio[i] = self.prio.max().clamp_(min=1.0)
        self.i = (i + 1) % self.cap
        self.n = min(self.n + 1, self.cap)

    def sample(self, k, alpha=0.6, beta=0.4):
        p = self.prio[: self.n].clone().pow_(alpha)
        p /= p.sum()
        idx = torch.multinomial(p, k, replacement=True)
        w = (self.n * p[idx]).pow_(-beta)
        w /= w.max()
        return idx, w

    def refresh(self, idx, td):
        self.prio[idx] = td.abs().add_(1e-3)


class Dueling(nn.Module):
    def __init__(self, obs, acts, h=24):
        super().__init__()
        self.f = nn.Sequential(nn.Linear(obs, h), nn.ReLU(inplace=True))
        self.v, self.adv = nn.Linear(h, 1), nn.Linear(h, acts)

    def forward(self, s):
        h = self.f(s)
        q = self.adv(h)
        q -= q.mean(1, keepdim=True)
        q += self.v(h)
        return q


class Agent:
    def __init__(self, obs, acts, gamma=0.98, tau=0.05):
        self.q = Dueling(obs, acts)
        self.target = copy.deepcopy(self.q)
        self.opt = torch.optim.Adam(self.q.parameters(), lr=1e-3)
        self.gamma, self.tau, self.acts = gamma, tau, acts

    def act(self, s, eps):
        if random.random() < eps:
            return random.randrange(self.acts)
        with torch.no_grad():
            return int(self.q(s[None]).argmax())

    def learn(self, mem, k):
        idx, w = mem.sample(k)
        with torch.no_grad():
            best = self.q(mem.s2[idx]).argmax(1, keepdim=True)
            y = self.target(mem.s2[idx]).gather(1, best).squeeze(1)
            y.mul_(self.gamma).mul_(1 - mem.d[idx]).add_(mem.r[idx])
        q = self.q(mem.s[idx]).gather(1, mem.a[idx, None]).squeeze(1)
        td = q - y
        loss = (w * td.pow(2)).mean()
        self.opt.zero_grad()
        loss.backward()
        for p in self.q.parameters():
            p.grad.clamp_(-1, 1)
        self.opt.step()
        mem.refresh(idx, td.detach())
        self.soft_update()
        return loss.item()

    @torch.no_grad()
    def soft_update(self):
        for t, p in zip(self.target.parameters(), self.q.parameters()):
            t.lerp_(p, self.tau)


# --- driver ---
torch.manual_seed(5)
random.seed(5)
agent, mem = Agent(3, 2), RingReplay(8, 3)
s = torch.randn(3)
for _ in range(10):
    a, s2 = agent.act(s, 0.3), torch.randn(3)
    mem.add(s, a, float(s2[0]), s2, random.random() < 0.1)
    s = s2
print([agent.learn(mem, 4) for _ in range(2)])
