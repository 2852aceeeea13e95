"""Dueling double DQN with a sum-tree prioritised replay and n-step returns on a chain walk."""
import copy
from collections import deque
from dataclasses import dataclass

import numpy as np
import torch
from torch import nn


class SumTree:
    def __init__(self, capacity: int):
        self.capacity = capacity
        self.tree = np.zeros(2 * capacity, dtype=np.float64)

    def set(self, index: int, value: float) -> None:
        i = index + self.capacity
        self.tree[i] = value
        while i > 1:
            i //= 2
            self.tree[i] = self.tree[2 * i] + self.tree[2 * i + 1]

    def find(self, mass: float) -> int:
        i = 1
        while i < self.capacity:
            left = self.tree[2 * i]
            i = 2 * i if mass < left else 2 * i + 1
            mass -= 0.0 if i % 2 == 0 else left
        return i - self.capacity


class PrioritisedReplay:
    def __init__(self, capacity: int, obs_dim: int, alpha: float = 0.6, beta: float = 0.5, seed: int = 0):
        self.s, self.s2 = torch.zeros(capacity, obs_dim), torch.zeros(capacity, obs_dim)
        self.a = torch.zeros(capacity, dtype=torch.long)
        self.r, self.discount = torch.zeros(capacity), torch.zeros(capacity)
        self.tree, self.rng = SumTree(capacity), np.random.default_rng(seed)
        self.alpha, self.beta, self.top, self.n = alpha, beta, 1.0, 0

    def add(self, s, a, r, s2, discount) -> None:
        i = self.n % len(self.r)
        self.s[i], self.a[i], self.r[i], self.s2[i], self.discount[i] = s, a, r, s2, discount
        self.tree.set(i, self.top)
        self.n += 1

    def sample(self, size: int):
        marks = (np.arange(size) + self.rng.random(size)) * self.tree.tree[1] / size
        idx = torch.tensor([min(self.tree.find(m), min(self.n, len(self.r)) - 1) for m in marks])
        p = torch.tensor([self.tree.tree[i + self.tree.capacity] for i in idx.tolist()]).float() / float(self.tree.tree[1])
        weight = (self.n * p).clamp_(min=1e-8).pow_(-self.beta)
        weight /= weight.max()
        return idx, weight

    def reprioritise(self, idx: torch.Tensor, td: torch.Tensor) -> None:
        for i, e in zip(idx.tolist(), td.detach().abs().add_(1e-3).pow_(self.alpha).tolist()):
            self.tree.set(i, e)
            self.top = max(self.top, e)


class Dueling(nn.Module):
    def __init__(self, obs: int, actions: int, width: int = 24):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(obs, width), nn.ReLU(inplace=True))
        self.value, self.advantage = nn.Linear(width, 1), nn.Linear(width, actions)

    def forward(self, s):
        a = self.advantage(h := self.trunk(s))
        return self.value(h) + a - a.mean(-1, keepdim=True)


class Chain:
    def __init__(self, n: int = 6):
        self.n, self.at = n, 0

    def observe(self):
        return torch.nn.functional.one_hot(torch.tensor(self.at), self.n).float()

    def step(self, action: int):
        self.at = max(0, self.at - 1) if action == 0 else min(self.n - 1, self.at + 1)
        return (1.0, True) if self.at == self.n - 1 else (-0.01, False)


@dataclass
class Agent:
    obs: int
    gamma: float = 0.95
    n_step: int = 2
    sync_every: int = 4

    def __post_init__(self):
        self.online = Dueling(self.obs, 2)
        self.target = copy.deepcopy(self.online).requires_grad_(False)
        self.opt = torch.optim.Adam(self.online.parameters(), lr=2e-3)
        self.replay, self.window, self.learned = PrioritisedReplay(64, self.obs), deque(maxlen=self.n_step), 0

    def remember(self, s, a, r, s2, done):
        self.window.append((s, a, r))
        if len(self.window) == self.n_step or done:
            ret = sum(self.gamma ** k * row[2] for k, row in enumerate(self.window))
            self.replay.add(*self.window[0][:2], ret, s2, 0.0 if done else self.gamma ** len(self.window))
        if done:
            self.window.clear()

    def learn(self, size: int) -> float:
        idx, weight = (m := self.replay).sample(size)
        with torch.no_grad():
            best = self.online(m.s2[idx]).argmax(1, keepdim=True)
            goal = m.r[idx] + m.discount[idx] * self.target(m.s2[idx]).gather(1, best).squeeze(1)
        td = self.online(m.s[idx]).gather(1, m.a[idx].unsqueeze(1)).squeeze(1) - goal
        loss = (weight * nn.functional.huber_loss(td, torch.zeros_like(td), reduction="none")).mean()
        m.reprioritise(idx, td)
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        self.learned += 1
        if self.learned % self.sync_every == 0:
            self.target.load_state_dict(self.online.state_dict())
        return loss.item()


# --- driver ---
torch.manual_seed(2)
env, agent = Chain(), Agent(6)
for t in range(40):
    s, a = env.observe(), int(torch.randint(0, 2, ()))
    r, done = env.step(a)
    agent.remember(s, a, r, env.observe(), done)
    env.at = 0 if done else env.at
    if t >= 20 and t % 4 == 0:
        print(agent.learn(8))
