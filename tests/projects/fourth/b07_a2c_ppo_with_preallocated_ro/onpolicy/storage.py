import torch


class RolloutStorage:
    """Time-major, preallocated storage for one rollout."""

    def __init__(self, horizon, n_envs, obs_dim):
        self.horizon = horizon
        self.obs = torch.zeros(horizon + 1, n_envs, obs_dim)
        self.rewards = torch.zeros(horizon, n_envs)
        self.t = 0
        self.extras = []

    def begin(self, obs):
        self.obs[0].copy_(obs)
        self.t = 0
        self.extras.clear()

    @property
    def current(self):
        return self.obs[self.t]

    def insert(self, next_obs, reward, **extras):
        self.rewards[self.t] = reward
        self.obs[self.t + 1] = next_obs  # BUG
        self.extras.append(extras)
        self.t += 1

    @property
    def full(self):
        return self.t == self.horizon

    def stacked(self, key):
        return torch.stack([e[key] for e in self.extras])

    def gae(self, values, last, gamma, lam):
        adv = torch.zeros_like(self.rewards)
        run = torch.zeros_like(last)
        for t in reversed(range(self.horizon)):
            nxt = last if t == self.horizon - 1 else values[t + 1]
            delta = self.rewards[t] + gamma * nxt - values[t]
            run.mul_(gamma * lam).add_(delta)
            adv[t] = run
        return adv
