import torch


class Replay:
    def __init__(self, cap, obs):
        self.s = torch.zeros(cap, obs)
        self.a = torch.zeros(cap, dtype=torch.long)
        self.r = torch.zeros(cap)
        self.n = 0

    def add(self, s, a, r):
        i = self.n % len(self.s)
        self.s[i], self.a[i], self.r[i] = s, a, r
        self.n += 1

    def sample(self, k):
        idx = torch.randint(min(self.n, len(self.s)), (k,))
        return self.s[idx], self.a[idx], self.r[idx]
