from __future__ import annotations
import dataclasses
from typing import Iterator

import torch
from torch import nn
from torch.distributions import Normal


@dataclasses.dataclass
class Args:
    envs: int = 3
    steps: int = 5
    obs: int = 4
    act: int = 2
    epochs: int = 2
    minibatches: int = 3
    gamma: float = 0.99
    lam: float = 0.95
    clip: float = 0.2
    lr: float = 3e-4
    target_kl: float = 0.5


class RunningMeanStd:
    def __init__(self, dim):
        self.mean, self.var, self.count = torch.zeros(dim), torch.ones(dim), 1e-4

    def update(self, x):
        n = x.size(0)
        delta = x.mean(0) - self.mean
        tot = self.count + n
        self.var.mul_(self.count).add_(x.var(0, unbiased=False), alpha=n)
        self.var.add_(delta.square(), alpha=self.count * n / tot).div_(tot)
        self.mean.add_(delta, alpha=n / tot)
        self.count = tot

    def normalise(self, x):
        return (x - self.mean).div_(self.var.sqrt().add_(1e-8)).clamp_(-10, 10)


class Storage:
    def __init__(self, a: Args):
        self.obs = torch.zeros(a.steps, a.envs, a.obs)
        self.act = torch.zeros(a.steps, a.envs, a.act)
        for name in ("logp", "rew", "done", "val", "adv"):
            setattr(self, name, torch.zeros(a.steps, a.envs))

    def put(self, t, **kw):
        for k, v in kw.items():
            getattr(self, k)[t].copy_(v)

    def gae(self, last, gamma, lam):
        run = torch.zeros_like(last)
        for t in range(len(self.rew) - 1, -1, -1):
            nxt = last if t == len(self.rew) - 1 else self.val[t + 1]
            live = 1 - self.done[t]
            delta = self.rew[t] + gamma * nxt * live - self.val[t]
            run.mul_(gamma * lam).mul_(live).add_(delta)
            self.adv[t] = run
        return self.adv + self.val

    def minibatches(self, returns, k) -> Iterator[tuple]:
        flat = [x.flatten(0, 1) for x in (self.obs, self.act, self.logp, self.adv, returns, self.val)]
        for idx in torch.randperm(len(flat[0])).chunk(k):
            yield tuple(f[idx] for f in flat)


class Policy(nn.Module):
    def __init__(self, a: Args):
        super().__init__()
        self.pi = nn.Sequential(nn.Linear(a.obs, 12), nn.Tanh(), nn.Linear(12, a.act))
        self.vf = nn.Sequential(nn.Linear(a.obs, 12), nn.Tanh(), nn.Linear(12, 1))
        self.log_std = nn.Parameter(torch.zeros(a.act))
        with torch.no_grad():
            self.pi[-1].weight.mul_(0.01)

    def dist(self, o):
        return Normal(self.pi(o), self.log_std.exp())

    def value(self, o):
        return self.vf(o).squeeze(-1)


class PPO:
    def __init__(self, a: Args):
        self.a, self.policy, self.store, self.rms = a, Policy(a), Storage(a), RunningMeanStd(a.obs)
        self.opt = torch.optim.Adam(self.policy.parameters(), lr=a.lr, eps=1e-5)
        self.state = torch.randn(a.envs, a.obs)

    @torch.no_grad()
    def rollout(self):
        for t in range(self.a.steps):
            self.rms.update(self.state)
            o = self.rms.normalise(self.state)
            d = self.policy.dist(o)
            act = d.sample()
            self.state[:, : self.a.act] += 0.1 * act
            self.state.mul_(0.95)
            done = (self.state.norm(dim=1) > 3).float()
            self.state[done.bool()] = 0
            self.store.put(t, obs=o, act=act, logp=d.log_prob(act).sum(-1), val=self.policy.value(o),
                           rew=-self.state.norm(dim=1), done=done)
        return self.store.gae(self.policy.value(self.rms.normalise(self.state)), self.a.gamma, self.a.lam)

    def loss(self, o, act, old, adv, ret, val):
        adv -= adv.mean()
        adv /= adv.std() + 1e-8
        d = self.policy.dist(o)
        logratio = d.log_prob(act).sum(-1)
        logratio -= old
        ratio = logratio.exp()
        pg = torch.max(-adv * ratio, -adv * ratio.clamp(1 - self.a.clip, 1 + self.a.clip)).mean()
        v = self.policy.value(o)
        vc = val + (v - val).clamp_(-self.a.clip, self.a.clip)
        vl = 0.5 * torch.max((v - ret) ** 2, (vc - ret) ** 2).mean()
        with torch.no_grad():
            kl = ((ratio - 1) - logratio).mean()
        return pg + 0.5 * vl - 0.01 * d.entropy().sum(-1).mean(), kl

    def update(self):
        returns = self.rollout()
        for _ in range(self.a.epochs):
            for mb in self.store.minibatches(returns, self.a.minibatches):
                loss, kl = self.loss(*mb)
                self.opt.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(self.policy.parameters(), 0.5)
                self.opt.step()
            if kl > self.a.target_kl:
                break


# --- driver ---
torch.manual_seed(0)
agent = PPO(Args())
for _ in range(2):
    agent.update()
