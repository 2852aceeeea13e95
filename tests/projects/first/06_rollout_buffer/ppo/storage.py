import torch


class RolloutStorage:
    """Ring of transitions; `recent` gives views, no copies."""

    def __init__(self, length, obs_dim):
        self.obs = torch.zeros(length, obs_dim)
        self.rewards = torch.zeros(length)
        self.actions = torch.zeros(length, dtype=torch.long)
        self.step = 0
        self.length = length

    def insert(self, obs, action, reward):
        i = self.step % self.length
        self.obs[i].copy_(obs)  # BUG
        self.actions[i] = action
        self.rewards[i] = reward
        self.step += 1

    def recent(self, n):
        return self.obs[:n], self.actions[:n], self.rewards[:n]

    def full(self):
        return self.step >= self.length
