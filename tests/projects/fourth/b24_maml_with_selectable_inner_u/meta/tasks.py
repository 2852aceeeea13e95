import math

import torch


class SinusoidFamily:
    def sample(self, n):
        return [Sinusoid(1 + 4 * torch.rand(1).item(), math.pi * torch.rand(1).item()) for _ in range(n)]


class Sinusoid:
    def __init__(self, amp, phase):
        self.amp, self.phase = amp, phase

    def points(self, k=10):
        x = torch.empty(k, 1).uniform_(-5, 5)
        y = (x + self.phase).sin_().mul_(self.amp)
        return x, y
