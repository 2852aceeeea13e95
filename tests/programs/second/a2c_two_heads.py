"""Advantage actor-critic on a toy grid with a shared torso and separate optimisers."""
import random
from collections import namedtuple

import torch
import torch.nn as nn
import torch.nn.functional as F

Transition = namedtuple("Transition", "obs action reward done")


class GridWorld:
    moves = [(0, 1), (0, -1), (1, 0), (-1, 0)]

    def __init__(self, n=4, horizon=12):
        self.n, self.horizon = n, horizon

    def reset(self):
        self.pos = (random.randrange(self.n), 0)
        self.t = 0
        return self._obs()

    def _obs(self):
        o = torch.zeros(self.n * self.n)
        o[self.pos[0] * self.n + self.pos[1]] = 1.0
        return o

    def step(self, a):
        dx, dy = self.moves[a]
        x = min(max(self.pos[0] + dx, 0), self.n - 1)
        y = min(max(self.pos[1] + dy, 0), self.n - 1)
        self.pos = (x, y)
        self.t += 1
        goal = x == y == self.n - 1
        return self._obs(), 1.0 if goal else -0.01, goal or self.t >= self.horizon


class Torso(nn.Module):
    def __init__(self, obs, hidden):
        super().__init__()
        self.fc1 = nn.Linear(obs, hidden)
        self.fc2 = nn.Linear(hidden, hidden)

    def forward(self, x):
        return torch.tanh(self.fc2(torch.tanh(self.fc1(x))))


class ActorCritic(nn.Module):
    def __init__(self, obs, actions, hidden=32):
        super().__init__()
        self.torso = Torso(obs, hidden)
        self.pi = nn.Linear(hidden, actions)
        self.v = nn.Linear(hidden, 1)

    def forward(self, obs):
        h = self.torso(obs)
        return self.pi(h), self.v(h).squeeze(-1)


class A2CAgent:
    def __init__(self, net, gamma=0.95, lr=1e-2):
        self.net, self.gamma = net, gamma
        self.critic_opt = torch.optim.Adam([*net.torso.parameters(), *net.v.parameters()], lr=lr)
        self.actor_opt = torch.optim.Adam(net.pi.parameters(), lr=lr)

    def rollout(self, env):
        obs, done, traj = env.reset(), False, []
        while not done:
            with torch.no_grad():
                logits, _ = self.net(obs)
            a = torch.distributions.Categorical(logits=logits).sample().item()
            nxt, r, done = env.step(a)
            traj.append(Transition(obs, a, r, done))
            obs = nxt
        return traj

    def returns(self, traj):
        g, out = 0.0, []
        for tr in reversed(traj):
            g = tr.reward + self.gamma * g
            out.insert(0, g)
        return torch.tensor(out)

    def update(self, traj):
        obs = torch.stack([t.obs for t in traj])
        act = torch.tensor([t.action for t in traj])
        ret = self.returns(traj)
        logits, value = self.net(obs)
        adv = ret - value
        critic_loss = adv.pow(2).mean()
        logp = F.log_softmax(logits, dim=-1).gather(1, act[:, None]).squeeze(1)
        actor_loss = -(logp * adv.detach()).mean()

        self.critic_opt.zero_grad()
        critic_loss.backward(retain_graph=True)
        self.critic_opt.step()  # BUG
        self.actor_opt.zero_grad()
        actor_loss.backward()
        self.actor_opt.step()
        return actor_loss.item(), critic_loss.item()


# --- driver ---
torch.manual_seed(0)
random.seed(0)
agent = A2CAgent(ActorCritic(16, 4))
agent.update(agent.rollout(GridWorld()))
