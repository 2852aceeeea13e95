import numpy as np
import torch
import torch.nn as nn
from torch.distributions import Normal


class VecPendulum:
    """Vectorised environment that reuses one observation array between steps."""

    dt = 0.05

    def __init__(self, n, seed=0):
        self.n = n
        self.rng = np.random.default_rng(seed)
        self.theta = np.zeros(n, dtype=np.float32)
        self.omega = np.zeros(n, dtype=np.float32)
        self.obs = np.zeros((n, 3), dtype=np.float32)

    def _write_obs(self):
        self.obs[:, 0] = np.cos(self.theta)
        self.obs[:, 1] = np.sin(self.theta)
        self.obs[:, 2] = self.omega
        return self.obs

    def reset(self):
        self.theta[:] = self.rng.uniform(-np.pi, np.pi, self.n)
        self.omega[:] = self.rng.uniform(-1, 1, self.n)
        return self._write_obs().copy()

    def step(self, action):
        u = np.clip(action, -2, 2)
        cost = self.theta ** 2 + 0.1 * self.omega ** 2 + 0.001 * u ** 2
        self.omega += (15 * np.sin(self.theta) + 3 * u) * self.dt
        np.clip(self.omega, -8, 8, out=self.omega)
        self.theta += self.omega * self.dt
        nxt = np.stack([np.cos(self.theta), np.sin(self.theta), self.omega], axis=1)
        return nxt, -cost


class RunningNorm:
    def __init__(self, dim):
        self.mean, self.var, self.n = np.zeros(dim, np.float32), np.ones(dim, np.float32), 1e-4

    def __call__(self, x):
        b = x.shape[0]
        delta = x.mean(0) - self.mean
        total = self.n + b
        self.mean += delta * b / total
        self.var += (x.var(0) - self.var) * b / total
        self.n = total
        return (x - self.mean) / np.sqrt(self.var + 1e-8)


class GaussianPolicy(nn.Module):
    def __init__(self, obs_dim, act_dim, hidden=16):
        super().__init__()
        self.mu = nn.Sequential(nn.Linear(obs_dim, hidden), nn.Tanh(), nn.Linear(hidden, act_dim))
        self.log_std = nn.Parameter(torch.full((act_dim,), -0.5))

    def forward(self, obs):
        return Normal(self.mu(obs), self.log_std.exp())


class Collector:
    def __init__(self, env, policy, gamma=0.98):
        self.env, self.policy, self.gamma = env, policy, gamma
        self.norm = RunningNorm(3)
        self.frame = self.norm(env.reset()).astype(np.float32)

    def rollout(self, horizon):
        logps, rewards = [], []
        for _ in range(horizon):
            dist = self.policy(torch.from_numpy(self.frame))
            action = dist.sample()
            logps.append(dist.log_prob(action).sum(-1))
            nxt, r = self.env.step(action[:, 0].numpy())
            np.copyto(self.frame, self.norm(nxt))  # BUG silent
            rewards.append(torch.from_numpy(r))
        return torch.stack(logps), torch.stack(rewards)

    def returns(self, rewards):
        out = rewards.clone()
        for t in reversed(range(len(out) - 1)):
            out[t] += self.gamma * out[t + 1]
        out -= out.mean()
        out /= out.std() + 1e-6
        return out


def reinforce(policy, collector, opt, horizon):
    logps, rewards = collector.rollout(horizon)
    loss = -(logps * collector.returns(rewards)).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()


# --- driver ---
torch.manual_seed(0)
policy = GaussianPolicy(3, 1)
reinforce(policy, Collector(VecPendulum(4), policy), torch.optim.Adam(policy.parameters(), lr=1e-2), 5)
