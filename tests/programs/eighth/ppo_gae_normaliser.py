"""Clipped policy optimisation with vectorised rollouts, GAE and observation whitening."""
from types import SimpleNamespace

import torch
import torch.nn as nn
from torch.distributions import Categorical

ARGS = SimpleNamespace(envs=4, horizon=6, gamma=0.98, lam=0.9, clip=0.2, epochs=2, minibatch=12, ent=0.01, vf=0.5, lr=3e-3)


class RunningMeanStd:
    def __init__(self, shape):
        self.mean, self.var, self.count = torch.zeros(shape), torch.ones(shape), 1e-4

    @torch.no_grad()
    def update(self, x):
        bm, bv, n = x.mean(0), x.var(0, unbiased=False), x.size(0)
        delta = bm - self.mean
        tot = self.count + n
        self.mean.add_(delta, alpha=n / tot)
        self.var.mul_(self.count).add_(bv, alpha=n).addcmul_(delta, delta, value=self.count * n / tot).div_(tot)
        self.count = tot

    def whiten(self, x):
        return (x - self.mean).div_(self.var.sqrt().add_(1e-8)).clamp_(-5, 5)


class VecCorridor:
    def __init__(self, n, length=8, seed=0):
        self.n, self.length = n, length
        self.g = torch.Generator().manual_seed(seed)
        self.pos = torch.zeros(n)
        self.t = torch.zeros(n, dtype=torch.long)

    def obs(self):
        o = torch.empty(self.n, 3)
        o[:, 0] = self.pos
        o[:, 1] = self.t
        o[:, 2].normal_(generator=self.g)
        return o

    def step(self, act):
        self.pos += act.float() * 2 - 1
        self.t += 1
        self.pos.clamp_(-2, self.length)
        done = (self.pos >= 3) | (self.t >= 5)
        reward = (self.pos >= 3).float()
        self.pos[done] = 0
        self.t[done] = 0
        return self.obs(), reward, done


class ActorCritic(nn.Module):
    def __init__(self, obs, acts, hid=16):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(obs, hid), nn.ReLU(inplace=True), nn.Linear(hid, hid), nn.Tanh())
        self.pi, self.v = nn.Linear(hid, acts), nn.Linear(hid, 1)
        with torch.no_grad():
            self.pi.weight.mul_(0.01)

    def forward(self, o):
        h = self.body(o)
        return Categorical(logits=self.pi(h)), self.v(h).squeeze(-1)


class Rollout:
    def __init__(self, a, obs_dim):
        T, N = a.horizon, a.envs
        self.obs = torch.zeros(T, N, obs_dim)
        self.act = torch.zeros(T, N, dtype=torch.long)
        self.logp, self.rew, self.val, self.done, self.adv = (torch.zeros(T, N) for _ in range(5))

    @torch.no_grad()
    def collect(self, env, net, rms, o, a):
        for t in range(a.horizon):
            rms.update(o)
            self.obs[t] = rms.whiten(o)
            dist, self.val[t] = net(self.obs[t])
            self.act[t] = dist.sample()
            self.logp[t] = dist.log_prob(self.act[t])
            o, self.rew[t], self.done[t] = env.step(self.act[t])
        _, last = net(rms.whiten(o))
        gae = torch.zeros(a.envs)
        for t in reversed(range(a.horizon)):
            alive = 1 - self.done[t]
            nxt = last if t == a.horizon - 1 else self.val[t + 1]
            delta = self.rew[t] + a.gamma * nxt * alive - self.val[t]
            gae.mul_(alive).mul_(a.gamma * a.lam).add_(delta)
            self.adv[t] = gae
        return o

    def minibatches(self, size):
        flat = [x.flatten(0, 1) for x in (self.obs, self.act, self.logp, self.adv, self.adv + self.val)]
        for idx in torch.randperm(flat[0].size(0)).split(size):
            yield [x[idx] for x in flat]


def ppo_loss(net, batch, a):
    obs, act, old, adv, ret = batch
    adv.sub_(adv.mean()).div_(adv.std() + 1e-8)
    dist, val = net(obs)
    ratio = (dist.log_prob(act) - old).exp_()
    surr = torch.min(ratio * adv, ratio.clamp(1 - a.clip, 1 + a.clip) * adv)
    return -surr.mean() + a.vf * (val - ret).pow(2).mean() - a.ent * dist.entropy().mean()


def train(a, iterations):
    env, net, rms = VecCorridor(a.envs), ActorCritic(3, 2), RunningMeanStd((3,))
    opt = torch.optim.Adam(net.parameters(), lr=a.lr, eps=1e-5)
    buf, o = Rollout(a, 3), env.obs()
    for it in range(iterations):
        opt.param_groups[0]["lr"] = a.lr * (1 - it / iterations)
        o = buf.collect(env, net, rms, o, a)
        for _ in range(a.epochs):
            for batch in buf.minibatches(a.minibatch):
                loss = ppo_loss(net, batch, a)
                opt.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(net.parameters(), 0.5)
                opt.step()
    return buf.rew.mean().item()


# --- driver ---
torch.manual_seed(0)
train(ARGS, 2)
