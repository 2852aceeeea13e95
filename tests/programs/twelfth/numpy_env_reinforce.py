"""REINFORCE with a numpy vector environment. The policy looks at the simulator's observation array."""
import numpy as np
import torch
from torch import nn


class CartVecEnv:
    """Cheap batch of cart-poles with semi-implicit Euler, float32."""

    def __init__(self, n, seed=0, dt=0.02):
        self.rng = np.random.default_rng(seed)
        self.n, self.dt = n, dt
        self.state = np.zeros((n, 4), dtype=np.float32)
        self.obs = np.zeros((n, 5), dtype=np.float32)

    def _render(self):
        x, v, th, w = self.state.T
        self.obs[:] = np.stack([x, v, np.cos(th), np.sin(th), w], 1)  # BUG silent

    def reset(self):
        self.state[:] = self.rng.uniform(-0.3, 0.3, self.state.shape)
        self._render()
        return self.obs

    def step(self, action):
        force = np.where(action == 1, 10.0, -10.0).astype(np.float32)
        x, v, th, w = self.state.T
        acc = (9.8 * np.sin(th) - np.cos(th) * (force + 0.05 * w**2 * np.sin(th)) / 1.1) / (0.5 * (4 / 3 - 0.1 * np.cos(th) ** 2 / 1.1))
        self.state[:, 3] += self.dt * acc
        self.state[:, 1] += self.dt * force / 1.1
        self.state[:, 2] += self.dt * self.state[:, 3]
        self.state[:, 0] += self.dt * self.state[:, 1]
        fallen = np.abs(self.state[:, 2]) > 0.6
        self.state[fallen] = self.rng.uniform(-0.05, 0.05, (int(fallen.sum()), 4))
        self._render()
        return self.obs, np.where(fallen, -1.0, 1.0).astype(np.float32)


class TorchVecEnv:
    """Thin wrapper with tensors at both ends."""

    def __init__(self, env):
        self.env = env

    def reset(self):
        return torch.from_numpy(self.env.reset())

    def step(self, action):
        obs, rew = self.env.step(action.numpy())
        return torch.from_numpy(obs), torch.from_numpy(rew)


class Policy(nn.Module):
    def __init__(self, obs=5, hidden=16, actions=2):
        super().__init__()
        self.l1 = nn.Linear(obs, hidden)
        self.l2 = nn.Linear(hidden, actions)

    def forward(self, obs):
        return torch.distributions.Categorical(logits=self.l2(torch.tanh(self.l1(obs))))


def episode(env, policy, horizon):
    obs, logps, rews = env.reset(), [], []
    for _ in range(horizon):
        dist = policy(obs)
        act = dist.sample()
        logps.append(dist.log_prob(act))
        obs, r = env.step(act)
        rews.append(r)
    return torch.stack(logps), torch.stack(rews)


def reward_to_go(rews, gamma):
    out = rews.clone()
    for t in range(len(out) - 2, -1, -1):
        out[t] += gamma * out[t + 1]
    out -= out.mean(1, keepdim=True)
    return out


def reinforce(env, policy, iterations, horizon=15, gamma=0.97):
    opt = torch.optim.Adam(policy.parameters(), 5e-3)
    for i in range(iterations):
        logps, rews = episode(env, policy, horizon)
        loss = -(logps * reward_to_go(rews, gamma)).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        print(i, rews.mean().item())


# --- driver ---
torch.manual_seed(49)
reinforce(TorchVecEnv(CartVecEnv(8)), Policy(), 3)
