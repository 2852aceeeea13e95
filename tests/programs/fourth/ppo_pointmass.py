from collections import namedtuple

import torch
import torch.nn as nn
from torch.distributions import Normal

Rollout = namedtuple("Rollout", "obs act logp value reward done")


class PointMass:
    def __init__(self, n, seed=0):
        self.n = n
        self.gen = torch.Generator().manual_seed(seed)
        self.reset()

    def reset(self):
        self.pos = torch.rand(self.n, 2, generator=self.gen).mul_(2).sub_(1)
        self.vel = torch.zeros(self.n, 2)
        return self.observe()

    def observe(self):
        return torch.cat([self.pos, self.vel], 1)

    def step(self, act):
        self.vel.mul_(0.9).add_(act.clamp(-1, 1), alpha=0.1)
        self.pos.add_(self.vel)
        dist = self.pos.norm(dim=1)
        done = dist > 2
        self.pos[done] = 0.5
        return self.observe(), -dist, done.float()


class ActorCritic(nn.Module):
    def __init__(self, obs=4, act=2, hidden=16):
        super().__init__()
        self.pi = nn.Sequential(nn.Linear(obs, hidden), nn.Tanh(), nn.Linear(hidden, act))
        self.v = nn.Sequential(nn.Linear(obs, hidden), nn.Tanh(), nn.Linear(hidden, 1))
        self.log_std = nn.Parameter(torch.full((act,), -0.5))

    def dist(self, obs):
        return Normal(self.pi(obs), self.log_std.exp())


def collect(env, net, steps):
    obs, rows = env.reset(), []
    with torch.no_grad():
        for _ in range(steps):
            d = net.dist(obs)
            act = d.sample()
            value = net.v(obs).squeeze(-1)
            nxt, reward, done = env.step(act)
            rows.append((obs, act, d.log_prob(act).sum(-1), value, reward, done))
            obs = nxt
    return Rollout(*(torch.stack(c) for c in zip(*rows))), obs


def gae(roll, last_value, gamma=0.99, lam=0.95):
    adv = torch.zeros_like(roll.reward)
    running = torch.zeros_like(last_value)
    for t in reversed(range(len(roll.reward))):
        nonterminal = 1 - roll.done[t]
        nxt = last_value if t + 1 == len(roll.reward) else roll.value[t + 1]
        delta = roll.reward[t] + gamma * nxt * nonterminal - roll.value[t]
        running = delta + gamma * lam * nonterminal * running
        adv[t] = running
    return adv


class PPO:
    def __init__(self, net, lr=3e-4, clip=0.2, vf=0.5):
        self.net, self.clip, self.vf = net, clip, vf
        self.opt = torch.optim.Adam(net.parameters(), lr=lr)

    def policy_loss(self, ratio, adv):
        surrogate = ratio * adv
        clipped = ratio.clamp(1 - self.clip, 1 + self.clip) * adv
        return -torch.min(surrogate, clipped).mean()

    def value_loss(self, obs, adv, old_value):
        target = torch.add(adv, old_value, out=adv)  # BUG
        return (self.net.v(obs).squeeze(-1) - target).pow(2).mean()

    def update(self, roll, adv, epochs=1):
        for _ in range(epochs):
            d = self.net.dist(roll.obs)
            ratio = (d.log_prob(roll.act).sum(-1) - roll.logp).exp()
            a = (adv - adv.mean()) / (adv.std() + 1e-8)
            loss = self.policy_loss(ratio, a)
            loss = loss + self.vf * self.value_loss(roll.obs, a, roll.value)
            self.opt.zero_grad()
            loss.backward()
            self.opt.step()


# --- driver ---
torch.manual_seed(0)
env, net = PointMass(3), ActorCritic()
roll, obs = collect(env, net, 5)
PPO(net).update(roll, gae(roll, net.v(obs).squeeze(-1).detach()))
