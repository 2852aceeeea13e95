import torch


class LineWorld:
    def __init__(self, dim):
        self.dim = dim
        self.s = torch.zeros(dim)

    def reset(self):
        self.s.uniform_(-1, 1)
        return self.s

    def step(self, action):
        sign = 1.0 if int(action) == 0 else -1.0
        self.s = self.s + 0.1 * sign
        return self.s, -self.s.abs().mean().item()
