import math
import torch
from torch import nn


class PointMass:
    """Vectorised double integrator, reward is minus distance to origin."""

    def __init__(self, n):
        self.n = n
        self.reset()

    def reset(self):
        self.s = torch.cat([torch.rand(self.n, 2) * 2 - 1, torch.zeros(self.n, 2)], 1)
        return self.s.clone()

    def step(self, a):
        self.s[:, 2:] += 0.1 * a.clamp(-1, 1)
        self.s[:, :2] += 0.1 * self.s[:, 2:]
        return self.s.clone(), -self.s[:, :2].norm(dim=1)


class ActorCritic(nn.Module):
    LOG_STD_MIN, LOG_STD_MAX = -1.5, -0.05

    def __init__(self, obs, act, hidden=32):
        super().__init__()
        self.pi = nn.Sequential(nn.Linear(obs, hidden), nn.Tanh(), nn.Linear(hidden, act))
        self.v = nn.Sequential(nn.Linear(obs, hidden), nn.Tanh(), nn.Linear(hidden, 1))
        self.log_std = nn.Parameter(torch.zeros(act))

    def log_prob(self, s, a):
        std = self.log_std.exp()
        z = (a - self.pi(s)) / std
        return (-0.5 * z * z - self.log_std - 0.5 * math.log(2 * math.pi)).sum(-1)

    def act(self, s):
        mu = self.pi(s)
        a = mu + self.log_std.exp() * torch.randn_like(mu)
        return a, self.log_prob(s, a)

    def entropy(self):
        spread = torch.exp(2 * self.log_std)
        self.bound(spread)
        return 0.5 * (2 * math.pi * math.e * spread).log().sum()

    def bound(self, variance):
        variance.data.clamp_(math.exp(2 * self.LOG_STD_MIN), math.exp(2 * self.LOG_STD_MAX))  # BUG silent


def gae(rew, val, last, gamma=0.98, lam=0.95):
    adv = torch.zeros_like(rew)
    run = torch.zeros_like(last)
    for t in reversed(range(len(rew))):
        nxt = val[t + 1] if t + 1 < len(rew) else last
        run = rew[t] + gamma * nxt - val[t] + gamma * lam * run
        adv[t] = run
    return adv, adv + val


@torch.no_grad()
def collect(env, ac, horizon):
    s = env.reset()
    buf = {k: [] for k in ("s", "a", "lp", "r", "v")}
    for _ in range(horizon):
        a, lp = ac.act(s)
        s2, r = env.step(a)
        for k, x in zip(buf, (s, a, lp, r, ac.v(s).squeeze(-1))):
            buf[k].append(x)
        s = s2
    data = {k: torch.stack(v) for k, v in buf.items()}
    data["adv"], data["ret"] = gae(data["r"], data["v"], ac.v(s).squeeze(-1))
    return {k: v.flatten(0, 1) for k, v in data.items()}


def update(ac, opt, data, epochs=2, clip=0.2):
    adv = data["adv"]
    adv.sub_(adv.mean()).div_(adv.std() + 1e-8)
    for _ in range(epochs):
        for idx in torch.randperm(len(adv)).chunk(2):
            ratio = (ac.log_prob(data["s"][idx], data["a"][idx]) - data["lp"][idx]).exp()
            surr = torch.min(ratio * adv[idx], ratio.clamp(1 - clip, 1 + clip) * adv[idx])
            vloss = (ac.v(data["s"][idx]).squeeze(-1) - data["ret"][idx]).square().mean()
            loss = -surr.mean() + 0.5 * vloss - 0.01 * ac.entropy()
            opt.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(ac.parameters(), 0.5)
            opt.step()
    return loss.item()


# --- driver ---
torch.manual_seed(11)
env, ac = PointMass(8), ActorCritic(4, 2)
opt = torch.optim.Adam(ac.parameters(), 3e-3)
for it in range(3):
    print(it, update(ac, opt, collect(env, ac, 12)))
