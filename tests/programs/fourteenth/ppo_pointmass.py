"""PPO on a vectorised point-mass environment with observation normalisation."""
import torch
from torch import nn
from torch.distributions import Normal


class PointMass:
    def __init__(self, n, horizon=20):
        self.n, self.horizon = n, horizon
        self.state = torch.zeros(n, 4)
        self.clock = torch.zeros(n)

    def reset(self, which=None):
        which = torch.ones(self.n, dtype=torch.bool) if which is None else which
        self.state[which] = torch.randn(int(which.sum()), 4)
        self.clock[which] = 0
        return self.state.clone()

    def step(self, force):
        self.state[:, 2:] += 0.1 * force.clamp(-1, 1)
        self.state[:, :2] += 0.1 * self.state[:, 2:]
        self.clock += 1
        reward = -self.state[:, :2].norm(dim=1)
        done = self.clock >= self.horizon
        if done.any():
            self.reset(done)
        return self.state.clone(), reward, done


class RunningNorm:
    def __init__(self, dim):
        self.mean, self.var, self.count = torch.zeros(dim), torch.ones(dim), 1e-4

    def __call__(self, x, update=True):
        if update:
            n = x.size(0)
            delta = x.mean(0) - self.mean
            total = self.count + n
            self.mean += delta * n / total
            self.var.mul_(self.count).add_(x.var(0, unbiased=False) * n).add_(delta.square() * self.count * n / total).div_(total)
            self.count = total
        return ((x - self.mean) / (self.var + 1e-8).sqrt()).clamp_(-5, 5)


class ActorCritic(nn.Module):
    def __init__(self, obs, act, hidden=24):
        super().__init__()
        self.pi = nn.Sequential(nn.Linear(obs, hidden), nn.Tanh(), nn.Linear(hidden, act))
        self.v = nn.Sequential(nn.Linear(obs, hidden), nn.Tanh(), nn.Linear(hidden, 1))
        self.log_std = nn.Parameter(torch.full((act,), -0.5))

    def dist(self, obs):
        return Normal(self.pi(obs), self.log_std.exp())

    def value(self, obs):
        return self.v(obs).squeeze(-1)


class Rollout:
    def __init__(self, steps, n, obs, act):
        self.obs, self.act = torch.zeros(steps, n, obs), torch.zeros(steps, n, act)
        self.logp, self.rew, self.done = (torch.zeros(steps, n) for _ in range(3))
        self.val = torch.zeros(steps + 1, n)

    @torch.no_grad()
    def collect(self, env, policy, norm, obs):
        for t in range(len(self.rew)):
            dist = policy.dist(obs)
            action = dist.sample()
            self.obs[t], self.act[t] = obs, action
            self.logp[t] = dist.log_prob(action).sum(-1)
            self.val[t] = policy.value(obs)
            raw, self.rew[t], done = env.step(action)
            self.done[t] = done.float()
            obs = norm(raw)
        self.val[-1] = policy.value(obs)
        return obs

    def gae(self, gamma=0.97, lam=0.9):
        adv, last = torch.zeros_like(self.rew), torch.zeros(self.rew.size(1))
        for t in reversed(range(len(self.rew))):
            live = 1 - self.done[t]
            last = self.rew[t] + gamma * live * self.val[t + 1] - self.val[t] + gamma * lam * live * last
            adv[t] = last
        ret = adv + self.val[:-1]
        adv -= adv.mean()
        adv /= adv.std() + 1e-8
        return adv.flatten(), ret.flatten()


def ppo_update(policy, opt, roll, epochs=2, batch=32, clip=0.2, entropy=0.01):
    adv, ret = roll.gae()
    obs, act, old = roll.obs.flatten(0, 1), roll.act.flatten(0, 1), roll.logp.flatten()
    for _ in range(epochs):
        for idx in torch.randperm(adv.numel()).split(batch):
            dist = policy.dist(obs[idx])
            ratio = (dist.log_prob(act[idx]).sum(-1) - old[idx]).exp()
            surrogate = torch.min(ratio * adv[idx], ratio.clamp(1 - clip, 1 + clip) * adv[idx])
            loss = 0.5 * (policy.value(obs[idx]) - ret[idx]).square().mean() - surrogate.mean() - entropy * dist.entropy().mean()
            opt.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(policy.parameters(), 0.5)
            opt.step()


# --- driver ---
torch.manual_seed(9)
env, norm, policy = PointMass(6), RunningNorm(4), ActorCritic(4, 2)
opt = torch.optim.Adam(policy.parameters(), lr=1e-3)
roll, obs = Rollout(16, 6, 4, 2), norm(env.reset())
for _ in range(2):
    obs = roll.collect(env, policy, norm, obs)
    ppo_update(policy, opt, roll)
    print(roll.rew.mean().item())
