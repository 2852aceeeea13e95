import torch


class ReplayBuffer:
    def __init__(self, size, obs_dim, act_dim):
        self.obs = torch.zeros(size, obs_dim)
        self.next_obs = torch.zeros(size, obs_dim)
        self.act = torch.zeros(size, act_dim)
        self.rew = torch.zeros(size)
        self.done = torch.zeros(size)
        self.ptr, self.n, self.size = 0, 0, size

    def push(self, o, a, r, o2, d):
        i = self.ptr
        self.obs[i] = o
        self.act[i] = a
        self.rew[i] = r
        self.next_obs[i] = o2
        self.done[i] = d
        self.ptr = (i + 1) % self.size
        self.n = min(self.n + 1, self.size)

    def sample(self, k):
        idx = torch.randint(0, self.n, (k,))
        return dict(obs=self.obs[idx], act=self.act[idx], rew=self.rew[idx],
                    next_obs=self.next_obs[idx], done=self.done[idx])
