import torch


class RolloutStorage:
    def __init__(self, T, N, obs_dim):
        self.obs = torch.zeros(T + 1, N, obs_dim)
        self.actions = torch.zeros(T, N, dtype=torch.long)
        self.logp = torch.zeros(T, N)
        self.rewards = torch.zeros(T, N)
        self.values = torch.zeros(T + 1, N)
        self.masks = torch.ones(T + 1, N)
        self.returns = torch.zeros(T + 1, N)
        self.t, self.T, self.N = 0, T, N

    def insert(self, obs, action, logp, value, reward, mask):
        self.obs[self.t + 1].copy_(obs)
        self.actions[self.t].copy_(action)
        self.logp[self.t].copy_(logp)
        self.values[self.t].copy_(value)
        self.rewards[self.t].copy_(reward)
        self.masks[self.t + 1].copy_(mask)
        self.t = (self.t + 1) % self.T

    def after_update(self):
        self.obs[0].copy_(self.obs[-1])
        self.masks[0].copy_(self.masks[-1])

    def compute_returns(self, next_value, gamma, lam):
        self.values[-1] = next_value
        gae = 0
        for i in reversed(range(self.T)):
            delta = self.rewards[i] + gamma * self.values[i + 1] * self.masks[i + 1] - self.values[i]
            gae = delta + gamma * lam * self.masks[i + 1] * gae
            self.returns[i] = gae + self.values[i]

    def minibatches(self, n):
        adv = self.returns[:-1] - self.values[:-1]
        adv.sub_(adv.mean()).div_(adv.std() + 1e-5)
        flat = lambda x: x.reshape(self.T * self.N, *x.shape[2:])
        perm = torch.randperm(self.T * self.N).view(n, -1)
        for idx in perm:
            yield (flat(self.obs[:-1])[idx], flat(self.actions)[idx], flat(self.logp)[idx],
                   flat(self.returns[:-1])[idx], flat(adv)[idx])
