import math

import torch


class CosineSchedule:
    def __init__(self, steps, s=0.008):
        t = torch.linspace(0, steps, steps + 1)
        f = torch.cos((t / steps + s) / (1 + s) * math.pi / 2) ** 2
        f /= f[0].clone()
        self.alpha_bar = f[1:]

    def coeffs(self, t):
        a = self.alpha_bar[t]
        return a.sqrt(), (1 - a).sqrt()
