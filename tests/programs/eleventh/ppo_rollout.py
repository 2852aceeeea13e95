"""PPO with a preallocated rollout store, generalised advantages and running observation statistics."""
import torch
from torch import nn
from torch.distributions import Normal


class RunningStats:
    def __init__(self, dim):
        self.mean = torch.zeros(dim)
        self.var = torch.ones(dim)
        self.count = 1e-4

    def update(self, x):
        n, mean, var = x.shape[0], x.mean(0), x.var(0, unbiased=False)
        delta = mean - self.mean
        total = self.count + n
        self.var.mul_(self.count).add_(var * n).add_(delta ** 2 * (self.count * n / total)).div_(total)
        self.mean.add_(delta, alpha=n / total)
        self.count = total

    def __call__(self, x):
        return ((x - self.mean) / (self.var + 1e-8).sqrt()).clamp_(-5, 5)


class RolloutStore:
    FIELDS = dict(obs=3, act=1, logp=0, value=0, reward=0, adv=0, ret=0)

    def __init__(self, horizon, envs):
        self.horizon = horizon
        for name, width in self.FIELDS.items():
            setattr(self, name, torch.zeros(horizon, envs, *([width] if width else [])))
        self.t = 0

    def add(self, **items):
        for name, value in items.items():
            getattr(self, name)[self.t] = value
        self.t = (self.t + 1) % self.horizon

    def finish(self, last_value, gamma=0.97, lam=0.9):
        run, nxt = torch.zeros_like(last_value), last_value
        for t in reversed(range(self.horizon)):
            delta = self.reward[t] + gamma * nxt - self.value[t]
            run = delta + gamma * lam * run
            self.adv[t] = run
            nxt = self.value[t]
        torch.add(self.adv, self.value, out=self.ret)
        self.adv.sub_(self.adv.mean()).div_(self.adv.std() + 1e-6)

    def minibatches(self, size):
        flat = {n: getattr(self, n).flatten(0, 1) for n in self.FIELDS}
        for idx in torch.randperm(flat["adv"].numel()).split(size):
            yield {n: v[idx] for n, v in flat.items()}


class Agent(nn.Module):
    def __init__(self, obs=3, act=1, hidden=32):
        super().__init__()
        self.pi = nn.Sequential(nn.Linear(obs, hidden), nn.Tanh(), nn.Linear(hidden, act))
        self.log_std = nn.Parameter(torch.zeros(act))
        self.vf = nn.Sequential(nn.Linear(obs, hidden), nn.Tanh(), nn.Linear(hidden, 1))

    def dist(self, obs):
        return Normal(self.pi(obs), self.log_std.exp())

    def value(self, obs):
        return self.vf(obs).squeeze(-1)


@torch.no_grad()
def collect(agent, store, stats, obs):
    for _ in range(store.horizon):
        stats.update(obs)
        x = stats(obs)
        d = agent.dist(x)
        a = d.sample()
        store.add(obs=x, act=a, logp=d.log_prob(a).sum(-1), value=agent.value(x), reward=-(obs[:, 0] - a[:, 0]).abs())
        obs = 0.9 * obs + 0.3 * torch.randn_like(obs)
    store.finish(agent.value(stats(obs)))
    return obs


def ppo_update(agent, opt, store, epochs=2, clip=0.2):
    for _ in range(epochs):
        for mb in store.minibatches(32):
            d = agent.dist(mb["obs"])
            ratio = (d.log_prob(mb["act"]).sum(-1) - mb["logp"]).exp()
            surr = torch.min(ratio * mb["adv"], ratio.clamp(1 - clip, 1 + clip) * mb["adv"])
            vloss = (agent.value(mb["obs"]) - mb["ret"]).pow(2).mean()
            opt.zero_grad()
            (0.5 * vloss - surr.mean() - 1e-3 * d.entropy().mean()).backward()
            nn.utils.clip_grad_norm_(agent.parameters(), 0.5)
            opt.step()
        with torch.no_grad():
            agent.log_std.clamp_(-2.0, 0.5)


# --- driver ---
torch.manual_seed(5)
agent, store, stats = Agent(), RolloutStore(12, 8), RunningStats(3)
opt = torch.optim.Adam(agent.parameters(), lr=3e-4)
obs = torch.randn(8, 3)
for _ in range(3):
    obs = collect(agent, store, stats, obs)
    ppo_update(agent, opt, store)
