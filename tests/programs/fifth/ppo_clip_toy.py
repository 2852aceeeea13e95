"""PPO-clip with GAE on a vectorised point-mass."""
import numpy as np
import torch
import torch.nn as nn
from torch.distributions import Normal

HP = dict(T=8, N=4, gamma=0.99, lam=0.95, clip=0.2, epochs=2, mb=16, lr=3e-4, max_norm=0.5)


class VecEnv:
    def __init__(self, n):
        self.pos, self.vel = np.zeros((n, 2), np.float32), np.zeros((n, 2), np.float32)
        self.t = np.zeros(n, np.int64)
        self.pos += np.random.randn(n, 2).astype('float32')

    def obs(self):
        return torch.from_numpy(np.concatenate([self.pos, self.vel], 1))

    def step(self, a):
        self.vel *= 0.9
        self.vel += 0.1 * np.clip(a, -1, 1)
        self.pos += self.vel
        self.t += 1
        r = -np.linalg.norm(self.pos, axis=1)
        done = self.t >= 5
        self.pos[done], self.vel[done], self.t[done] = np.random.randn(int(done.sum()), 2), 0, 0
        return self.obs(), torch.from_numpy(r), torch.from_numpy(done.astype('float32'))


class RunningNorm:
    def __init__(self, d):
        self.mean, self.var, self.count = torch.zeros(d), torch.ones(d), 1e-4

    def __call__(self, x):
        n = x.size(0)
        delta = x.mean(0) - self.mean
        tot = self.count + n
        self.mean += delta * (n / tot)
        self.var.mul_(self.count / tot).add_(x.var(0, unbiased=False) * (n / tot))
        self.count = tot
        return ((x - self.mean) / (self.var + 1e-8).sqrt()).clamp_(-5, 5)


class ActorCritic(nn.Module):
    def __init__(self, d=4, a=2, h=16):
        super().__init__()
        self.pi = nn.Sequential(nn.Linear(d, h), nn.Tanh(), nn.Linear(h, a))
        self.v = nn.Sequential(nn.Linear(d, h), nn.Tanh(), nn.Linear(h, 1))
        self.log_std = nn.Parameter(torch.zeros(a))
        with torch.no_grad():
            self.pi[-1].weight.mul_(0.01)
            self.pi[-1].bias.zero_()

    def dist(self, o):
        return Normal(self.pi(o), self.log_std.exp())


@torch.no_grad()
def collect(env, net, norm):
    T, N = HP['T'], HP['N']
    o, a = torch.zeros(T, N, 4), torch.zeros(T, N, 2)
    logp, rew, done, val = (torch.zeros(T, N) for _ in range(4))
    x = norm(env.obs())
    for t in range(T):
        d = net.dist(x)
        o[t], val[t] = x, net.v(x).squeeze(-1)
        a[t] = d.sample()
        logp[t] = d.log_prob(a[t]).sum(-1)
        nx, rew[t], done[t] = env.step(a[t].numpy())
        x = norm(nx)
    adv, last, nextv = torch.zeros(T, N), torch.zeros(N), net.v(x).squeeze(-1)
    for t in reversed(range(T)):
        live = 1 - done[t]
        delta = rew[t] + HP['gamma'] * nextv * live - val[t]
        last.mul_(HP['gamma'] * HP['lam'] * live).add_(delta)
        adv[t] = last
        nextv = val[t]
    ret = adv + val
    adv.sub_(adv.mean()).div_(adv.std() + 1e-8)
    return [z.flatten(0, 1) for z in (o, a, logp, adv, ret)]


def update(net, opt, data):
    o, a, logp0, adv, ret = data
    for _ in range(HP['epochs']):
        for ix in torch.randperm(len(o)).split(HP['mb']):
            d = net.dist(o[ix])
            ratio = (d.log_prob(a[ix]).sum(-1) - logp0[ix]).exp_()
            clipped = ratio.clamp(1 - HP['clip'], 1 + HP['clip'])
            loss = -torch.min(ratio * adv[ix], clipped * adv[ix]).mean()
            loss += 0.5 * (net.v(o[ix]).squeeze(-1) - ret[ix]).square().mean()
            loss -= 0.01 * d.entropy().sum(-1).mean()
            opt.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(net.parameters(), HP['max_norm'])
            opt.step()


# --- driver ---
torch.manual_seed(0); np.random.seed(0)
net = ActorCritic()
env, norm = VecEnv(HP['N']), RunningNorm(4)
update(net, torch.optim.Adam(net.parameters(), HP['lr']), collect(env, net, norm))
