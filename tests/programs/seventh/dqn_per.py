"""Double DQN with prioritised replay held in flat tensors."""
import copy
from typing import Dict

import torch
import torch.nn as nn


class PrioritisedReplay:
    def __init__(self, capacity, obs_dim, alpha=0.6, beta=0.4):
        self.obs = torch.zeros(capacity, obs_dim)
        self.nxt = torch.zeros(capacity, obs_dim)
        self.act = torch.zeros(capacity, dtype=torch.long)
        self.rew = torch.zeros(capacity)
        self.done = torch.zeros(capacity)
        self.prio = torch.zeros(capacity)
        self.capacity, self.alpha, self.beta = capacity, alpha, beta
        self.ptr = self.size = 0

    def add(self, o, a, r, n, d):
        i = self.ptr
        self.obs[i], self.nxt[i] = o, n
        self.act[i], self.rew[i], self.done[i] = a, r, d
        self.prio[i] = self.prio.max().clamp(min=1.0)
        self.ptr = (i + 1) % self.capacity
        self.size = min(self.size + 1, self.capacity)

    def sample(self, k) -> Dict[str, torch.Tensor]:
        p = self.prio[: self.size].pow(self.alpha)
        p /= p.sum()
        idx = torch.multinomial(p, k, replacement=True)
        w = (self.size * p[idx]).pow_(-self.beta)
        w.div_(w.max())
        return dict(idx=idx, w=w, obs=self.obs[idx], act=self.act[idx], rew=self.rew[idx],
                    nxt=self.nxt[idx], done=self.done[idx])

    def update(self, idx, td):
        self.prio[idx] = td.abs().add_(1e-5)


class DuelingQ(nn.Module):
    def __init__(self, obs_dim, n_act, width=16):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(obs_dim, width), nn.ReLU(inplace=True))
        self.adv = nn.Linear(width, n_act)
        self.val = nn.Linear(width, 1)

    def forward(self, o):
        h = self.body(o)
        q = self.adv(h)
        q -= q.mean(-1, keepdim=True)
        q += self.val(h)
        return q


class Agent:
    def __init__(self, obs_dim, n_act, gamma=0.99, tau=0.05, lr=1e-3):
        self.q = DuelingQ(obs_dim, n_act)
        self.target = copy.deepcopy(self.q).requires_grad_(False)
        self.opt = torch.optim.Adam(self.q.parameters(), lr=lr)
        self.gamma, self.tau, self.n_act = gamma, tau, n_act

    @torch.no_grad()
    def act(self, obs, eps):
        if torch.rand(()) < eps:
            return int(torch.randint(self.n_act, ()))
        return int(self.q(obs).argmax())

    def learn(self, replay, k):
        b = replay.sample(k)
        with torch.no_grad():
            best = self.q(b["nxt"]).argmax(1, keepdim=True)
            y = self.target(b["nxt"]).gather(1, best).squeeze(1)
            y.mul_(1 - b["done"]).mul_(self.gamma).add_(b["rew"])
        td = self.q(b["obs"]).gather(1, b["act"][:, None]).squeeze(1) - y
        loss = (b["w"] * td.pow(2)).mean()
        self.opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_value_(self.q.parameters(), 1.0)
        self.opt.step()
        replay.update(b["idx"], td.detach())
        self.soft_update()
        return loss.item()

    @torch.no_grad()
    def soft_update(self):
        for t, s in zip(self.target.parameters(), self.q.parameters()):
            t.mul_(1 - self.tau).add_(s, alpha=self.tau)


def play(agent, replay, steps, gen):
    obs = torch.randn(4, generator=gen)
    for _ in range(steps):
        a = agent.act(obs, 0.3)
        nxt = obs * 0.9
        nxt[a] += 0.3
        replay.add(obs, a, -nxt.abs().sum(), nxt, 0.0)
        obs = nxt


# --- driver ---
torch.manual_seed(0)
agent, buf = Agent(4, 3), PrioritisedReplay(32, 4)
play(agent, buf, 20, torch.Generator().manual_seed(1))
for _ in range(2):
    agent.learn(buf, 8)
