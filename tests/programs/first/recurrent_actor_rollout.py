"""Recurrent A2C: unroll the policy over a stored segment and compute the losses."""
from typing import NamedTuple

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.distributions import Categorical


class Segment(NamedTuple):
    obs: torch.Tensor       # [T, B, O]
    actions: torch.Tensor   # [T, B]
    rewards: torch.Tensor   # [T, B]
    dones: torch.Tensor     # [T, B]


class RecurrentPolicy(nn.Module):
    def __init__(self, obs_dim, n_actions, hidden=24):
        super().__init__()
        self.hidden = hidden
        self.embed = nn.Sequential(nn.Linear(obs_dim, hidden), nn.Tanh())
        self.rnn = nn.GRUCell(hidden, hidden)
        self.pi = nn.Linear(hidden, n_actions)
        self.v = nn.Linear(hidden, 1)

    def initial_state(self, batch):
        return torch.zeros(batch, self.hidden)

    def unroll(self, obs, dones, state):
        T, B = dones.shape
        states = torch.zeros(T + 1, B, self.hidden)
        states[0] = state
        feats = self.embed(obs)
        for t in range(T):
            mask = (1.0 - dones[t]).unsqueeze(-1)
            h = self.rnn(feats[t], states[t] * mask)
            states[t + 1] = h
        return states[1:], states[T].detach()

    def unroll_window(self, obs, dones, state):
        T, B = dones.shape
        states = torch.zeros(T + 1, B, self.hidden)
        states[0] = state
        feats = self.embed(obs)
        for t in range(T):
            h = self.rnn(feats[t], states[t])
            states[t + 1] = h  # BUG
        return states[1:], states[T].detach()

    def forward(self, obs, dones, state):
        if dones.any():
            hs, last = self.unroll(obs, dones, state)
        else:
            hs, last = self.unroll_window(obs, dones, state)
        return self.pi(hs), self.v(hs).squeeze(-1), last


def discounted_returns(rewards, dones, bootstrap, gamma):
    out = torch.zeros_like(rewards)
    running = bootstrap
    for t in reversed(range(rewards.shape[0])):
        running = rewards[t] + gamma * (1 - dones[t]) * running
        out[t] = running
    return out


class A2C:
    def __init__(self, policy, lr=3e-4, gamma=0.97, ent_coef=0.01, vf_coef=0.5):
        self.policy = policy
        self.gamma, self.ent_coef, self.vf_coef = gamma, ent_coef, vf_coef
        self.opt = torch.optim.RMSprop(policy.parameters(), lr=lr)
        self.state = None

    def update(self, seg):
        if self.state is None:
            self.state = self.policy.initial_state(seg.obs.shape[1])
        logits, values, last = self.policy(seg.obs, seg.dones, self.state)
        with torch.no_grad():
            ret = discounted_returns(seg.rewards, seg.dones, values[-1], self.gamma)
            adv = ret - values
            adv = (adv - adv.mean()) / (adv.std() + 1e-8)
        dist = Categorical(logits=logits)
        pg = -(dist.log_prob(seg.actions) * adv).mean()
        vf = F.smooth_l1_loss(values, ret)
        loss = pg + self.vf_coef * vf - self.ent_coef * dist.entropy().mean()
        self.opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(self.policy.parameters(), 0.5)
        self.opt.step()
        self.state = last
        return {'loss': loss.item(), 'pg': pg.item(), 'vf': vf.item()}


# --- driver ---
agent = A2C(RecurrentPolicy(6, 4))
for _ in range(2):
    seg = Segment(torch.randn(5, 3, 6), torch.randint(0, 4, (5, 3)), torch.randn(5, 3), torch.zeros(5, 3))
    print(agent.update(seg))
