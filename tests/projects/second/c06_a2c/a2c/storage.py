import torch


class Storage:
    def __init__(self, t, n, obs):
        self.obs = torch.zeros(t + 1, n, obs)
        self.rewards = torch.zeros(t, n)
        self.masks = torch.ones(t + 1, n)
        self.returns = torch.zeros(t + 1, n)
        self.actions = torch.zeros(t, n, dtype=torch.long)
        self.step = 0

    def insert(self, obs, act, rew, mask):
        self.obs[self.step + 1].copy_(obs)
        self.actions[self.step].copy_(act)
        self.rewards[self.step].copy_(rew)
        self.masks[self.step + 1].copy_(mask)
        self.step = (self.step + 1) % len(self.rewards)

    def after_update(self):
        self.obs[0].copy_(self.obs[-1])
        self.masks[0].copy_(self.masks[-1])

    def compute_returns(self, last, gamma):
        self.returns[-1] = last
        for t in reversed(range(len(self.rewards))):
            self.returns[t] = self.returns[t + 1] * gamma * self.masks[t + 1] + self.rewards[t]
