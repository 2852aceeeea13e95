import torch


class Corridor:
    obs_dim, n_actions = 4, 3

    def __init__(self, length=6.0):
        self.length = length
        self.s = torch.zeros(2)

    def observe(self):
        obs = torch.empty(self.obs_dim)
        obs[:2] = self.s
        obs[2] = self.length - self.s[0]
        obs[3] = 1.0
        obs /= self.length
        return obs

    def step(self, a):
        self.s[1] += 0.5 * (a - 1)
        self.s[1].clamp_(-1, 1)
        self.s[0] += self.s[1]
        self.s[0].clamp_(0, self.length)
        reward = (self.s[0] / self.length).item()
        if self.s[0] >= self.length:
            self.s.zero_()
        return self.observe(), reward
