"""Clipped policy optimisation with preallocated rollout storage and observation scaling."""
import torch
import torch.nn as nn
from torch.distributions import Categorical


class RunningNorm:
    def __init__(self, dim):
        self.mean, self.var, self.n = torch.zeros(dim), torch.ones(dim), 1e-4

    def update(self, x):
        b, bm, bv = len(x), x.mean(0), x.var(0, unbiased=False)
        delta, tot = bm - self.mean, self.n + b
        self.mean += delta * b / tot
        self.var.mul_(self.n / tot).add_(bv, alpha=b / tot).add_(delta.square(), alpha=self.n * b / tot ** 2)
        self.n = tot

    def __call__(self, x):
        return (x - self.mean).div_(self.var.add(1e-8).sqrt_()).clamp_(-5, 5)


class Storage:
    def __init__(self, steps, envs, obs):
        self.obs = torch.zeros(steps, envs, obs)
        self.act = torch.zeros(steps, envs, dtype=torch.long)
        self.logp, self.val, self.rew, self.done = (torch.zeros(steps, envs) for _ in range(4))
        self.adv = torch.zeros(steps, envs)
        self.t = 0

    def put(self, **row):
        for k, v in row.items():
            getattr(self, k)[self.t].copy_(v)
        self.t = (self.t + 1) % len(self.obs)

    def gae(self, last, gamma=0.99, lam=0.95):
        run = torch.zeros_like(last)
        nxt = last
        for t in reversed(range(len(self.rew))):
            live = 1 - self.done[t]
            delta = self.rew[t] + gamma * nxt * live - self.val[t]
            run.mul_(gamma * lam * live).add_(delta)
            self.adv[t] = run
            nxt = self.val[t]
        return self.adv + self.val


class ActorCritic(nn.Module):
    def __init__(self, obs, acts):
        super().__init__()
        self.base = nn.Sequential(nn.Linear(obs, 16), nn.Tanh())
        self.pi, self.v = nn.Linear(16, acts), nn.Linear(16, 1)
        with torch.no_grad():
            self.pi.weight.mul_(0.01)

    def forward(self, x, legal=None):
        h = self.base(x)
        logits = self.pi(h)
        if legal is not None:
            logits.masked_fill_(~legal, -1e8)
        return Categorical(logits=logits), self.v(h).squeeze(-1)


def collect(net, norm, store, envs, obs_dim):
    obs = torch.randn(envs, obs_dim)
    with torch.no_grad():
        for _ in range(len(store.obs)):
            norm.update(obs)
            x = norm(obs)
            dist, val = net(x)
            act = dist.sample()
            store.put(obs=x, act=act, logp=dist.log_prob(act), val=val, rew=(act == 0).float(), done=torch.rand(envs) < 0.1)
            obs.mul_(0.9).add_(torch.randn_like(obs), alpha=0.3)
        return store.gae(net(norm(obs))[1])


def update(net, opt, store, ret, epochs=2, clip=0.2):
    flat = lambda t: t.flatten(0, 1)
    adv = flat(store.adv).clone()
    adv.sub_(adv.mean()).div_(adv.std() + 1e-8)
    legal = torch.ones(adv.numel(), net.pi.out_features, dtype=torch.bool)
    for _ in range(epochs):
        dist, val = net(flat(store.obs), legal)
        ratio = (dist.log_prob(flat(store.act)) - flat(store.logp)).exp()
        pg = -torch.min(ratio * adv, ratio.clamp(1 - clip, 1 + clip) * adv).mean()
        loss = pg + 0.5 * (val - flat(ret)).square().mean() - 0.01 * dist.entropy().mean()
        opt.zero_grad()
        loss.backward()
        opt.step()


# --- driver ---
torch.manual_seed(58)
net, norm, store = ActorCritic(3, 4), RunningNorm(3), Storage(5, 2, 3)
opt = torch.optim.Adam(net.parameters(), 3e-4)
for _ in range(2):
    update(net, opt, store, collect(net, norm, store, 2, 3))
