"""Recurrent policy on a batch of short corridor games."""
import torch
import torch.nn as nn
from torch.distributions import Categorical


class CorridorVec:
    """n independent corridors; reaching the right end gives one point."""

    def __init__(self, n, length=4):
        self.n, self.length = n, length
        self.pos = torch.zeros(n, dtype=torch.long)

    def obs(self):
        return nn.functional.one_hot(self.pos, self.length).float()

    def step(self, action):
        self.pos += action * 2 - 1
        self.pos.clamp_(0, self.length - 1)
        done = self.pos == self.length - 1
        reward = done.float()
        self.pos[done] = 0
        return self.obs(), reward, done


class RecurrentPolicy(nn.Module):
    def __init__(self, obs, actions, hidden=8):
        super().__init__()
        self.hidden = hidden
        self.w_in = nn.Linear(obs, hidden)
        self.w_rec = nn.Linear(hidden, hidden, bias=False)
        self.pi = nn.Linear(hidden, actions)
        self.v = nn.Linear(hidden, 1)

    def initial(self, n):
        return torch.zeros(n, self.hidden)

    def forward(self, obs, h):
        h = torch.tanh(self.w_in(obs) + self.w_rec(h))
        return Categorical(logits=self.pi(h)), self.v(h).squeeze(-1), h


def reset_finished(h, done):
    h.data.mul_((~done).float().unsqueeze(-1))  # BUG silent
    return h


def rollout(env, policy, steps):
    h = policy.initial(env.n)
    obs = env.obs()
    track = {"logp": [], "value": [], "reward": [], "entropy": [], "done": []}
    for _ in range(steps):
        dist, value, h = policy(obs, h)
        action = dist.sample()
        obs, reward, done = env.step(action)
        h = reset_finished(h, done)
        for k, v in zip(track, (dist.log_prob(action), value, reward, dist.entropy(), done)):
            track[k].append(v)
    return {k: torch.stack(v) for k, v in track.items()}


def discounted(reward, done, gamma):
    ret, out = torch.zeros_like(reward[0]), []
    for r, d in zip(reward.flip(0), done.flip(0)):
        ret = r + gamma * ret * (~d)
        out.append(ret)
    return torch.stack(out[::-1])


def a2c_update(policy, opt, track, gamma=0.95, c_v=0.5, c_e=0.01):
    ret = discounted(track["reward"], track["done"], gamma)
    adv = ret - track["value"].detach()
    loss = -(track["logp"] * adv).mean() + c_v * (ret - track["value"]).pow(2).mean() - c_e * track["entropy"].mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    return loss.item()


# --- driver ---
torch.manual_seed(31)
policy = RecurrentPolicy(4, 2)
opt = torch.optim.Adam(policy.parameters(), lr=1e-2)
a2c_update(policy, opt, rollout(CorridorVec(6), policy, 8))
