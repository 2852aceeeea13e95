"""Continuous control agent whose actor and critic share an observation encoder."""
import copy
import random
from collections import deque

import torch
import torch.nn as nn
import torch.nn.functional as F


class ReplayBuffer:
    def __init__(self, capacity=1000):
        self.data = deque(maxlen=capacity)

    def add(self, *transition):
        self.data.append(transition)

    def sample(self, n):
        batch = random.sample(list(self.data), n)
        return [torch.stack(col) for col in zip(*batch)]


class Encoder(nn.Module):
    def __init__(self, obs_dim, dim=16):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(obs_dim, 32), nn.ReLU(), nn.Linear(32, dim), nn.Tanh())

    def forward(self, obs):
        return self.net(obs)


class Actor(nn.Module):
    def __init__(self, dim, act_dim):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(dim, 32), nn.ReLU(), nn.Linear(32, act_dim))

    def forward(self, z):
        return torch.tanh(self.net(z))


class Critic(nn.Module):
    def __init__(self, dim, act_dim):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(dim + act_dim, 32), nn.ReLU(), nn.Linear(32, 1))

    def forward(self, z, a):
        return self.net(torch.cat([z, a], dim=-1)).squeeze(-1)


class Agent:
    def __init__(self, obs_dim, act_dim, gamma=0.99, tau=0.01, lr=1e-3):
        self.encoder, self.actor, self.critic = Encoder(obs_dim), Actor(16, act_dim), Critic(16, act_dim)
        self.target = copy.deepcopy(nn.ModuleList([self.encoder, self.actor, self.critic])).requires_grad_(False)
        self.critic_opt = torch.optim.Adam([*self.encoder.parameters(), *self.critic.parameters()], lr=lr)
        self.actor_opt = torch.optim.Adam(self.actor.parameters(), lr=lr)
        self.gamma, self.tau = gamma, tau

    def td_target(self, rew, nxt, done):
        enc, actor, critic = self.target
        with torch.no_grad():
            z = enc(nxt)
            return rew + self.gamma * (1 - done) * critic(z, actor(z))

    def update(self, batch):
        obs, act, rew, nxt, done = batch
        z = self.encoder(obs)

        critic_loss = F.mse_loss(self.critic(z, act), self.td_target(rew, nxt, done))
        self.critic_opt.zero_grad()
        critic_loss.backward(retain_graph=True)
        self.critic_opt.step()  # BUG

        actor_loss = -self.critic(z, self.actor(z)).mean()
        self.actor_opt.zero_grad()
        actor_loss.backward()
        self.actor_opt.step()

        self.soft_update()
        return critic_loss.item(), actor_loss.item()

    @torch.no_grad()
    def soft_update(self):
        for src, dst in zip((self.encoder, self.actor, self.critic), self.target):
            for p, q in zip(src.parameters(), dst.parameters()):
                q.lerp_(p, self.tau)

    @torch.no_grad()
    def act(self, obs, noise=0.1):
        a = self.actor(self.encoder(obs))
        a += noise * torch.randn_like(a)
        return a.clamp_(-1, 1)


# --- driver ---
agent, buf = Agent(5, 2), ReplayBuffer()
obs = torch.randn(5)
for _ in range(20):
    a, nxt = agent.act(obs), torch.randn(5)
    buf.add(obs, a, torch.randn(()), nxt, torch.zeros(()))
    obs = nxt
for _ in range(2):
    print(agent.update(buf.sample(8)))
