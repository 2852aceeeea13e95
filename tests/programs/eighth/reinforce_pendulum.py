import math
from dataclasses import dataclass, field
from typing import List

import numpy as np
import torch
import torch.nn as nn
from torch.distributions import Normal


class Pendulum:
    """Minimal swing-up task without rendering."""

    def __init__(self, dt=0.05, max_torque=2.0, seed=0):
        self.dt, self.max_torque = dt, max_torque
        self.rng = np.random.default_rng(seed)
        self.th = self.thdot = 0.0

    def _observe(self):
        return np.array([math.cos(self.th), math.sin(self.th), self.thdot], dtype=np.float32)

    def reset(self):
        self.th = self.rng.uniform(-math.pi, math.pi)
        self.thdot = self.rng.uniform(-1, 1)
        return self._observe()

    def step(self, u):
        u = float(np.clip(u, -self.max_torque, self.max_torque))
        norm = (self.th + math.pi) % (2 * math.pi) - math.pi
        cost = norm ** 2 + 0.1 * self.thdot ** 2 + 0.001 * u ** 2
        self.thdot = float(np.clip(self.thdot + (15 * math.sin(self.th) + 3 * u) * self.dt, -8, 8))
        self.th += self.thdot * self.dt
        return self._observe(), -cost


class GaussianPolicy(nn.Module):
    def __init__(self, obs_dim, hidden=16):
        super().__init__()
        self.l1 = nn.Linear(obs_dim, hidden)
        self.l2 = nn.Linear(hidden, 1)
        self.log_std = nn.Parameter(torch.zeros(1))

    def forward(self, obs):
        return Normal(self.l2(torch.tanh(self.l1(obs))), self.log_std.exp())


@dataclass
class Episode:
    log_probs: List[torch.Tensor] = field(default_factory=list)
    rewards: List[float] = field(default_factory=list)

    def add(self, lp, r):
        self.log_probs.append(lp)
        self.rewards.append(r)


class VecRunner:
    """Steps several environments and keeps their observations in one array."""

    def __init__(self, envs, obs_dim):
        self.envs = envs
        self.obs = np.zeros((len(envs), obs_dim), dtype=np.float32)

    def collect(self, policy, horizon):
        for i, env in enumerate(self.envs):
            self.obs[i] = env.reset()
        ep = Episode()
        for _ in range(horizon):
            dist = policy(torch.from_numpy(self.obs))
            act = dist.sample()
            rewards = np.zeros(len(self.envs), dtype=np.float32)
            for i, env in enumerate(self.envs):
                self.obs[i], rewards[i] = env.step(act[i].item())  # BUG silent
            ep.add(dist.log_prob(act).squeeze(-1), rewards)
        return ep


def returns_to_go(rewards, gamma):
    out = torch.zeros(len(rewards), len(rewards[0]))
    acc = torch.zeros(len(rewards[0]))
    for t in range(len(rewards) - 1, -1, -1):
        acc.mul_(gamma).add_(torch.from_numpy(rewards[t]))
        out[t] = acc
    return out.sub_(out.mean()).div_(out.std() + 1e-8)


def train(policy, runner, iterations, horizon, gamma=0.99, ent=1e-3):
    opt = torch.optim.Adam(policy.parameters(), lr=3e-3)
    for _ in range(iterations):
        ep = runner.collect(policy, horizon)
        ret = returns_to_go(ep.rewards, gamma)
        loss = -(torch.stack(ep.log_probs) * ret).mean() - ent * policy.log_std.sum()
        opt.zero_grad()
        loss.backward()
        opt.step()
    return ret.mean().item()


# --- driver ---
torch.manual_seed(0)
runner = VecRunner([Pendulum(seed=s) for s in range(3)], 3)
train(GaussianPolicy(3), runner, iterations=1, horizon=4)
