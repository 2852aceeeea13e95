import math

import torch


def cosine_alpha_bar(n):
    t = torch.arange(n + 1, dtype=torch.float64) / n
    f = torch.cos((t + 0.008) / 1.008 * math.pi / 2).pow_(2)
    f /= f[0].clone()
    return f[1:].clamp_(1e-4, 0.9999).float()


def linear_alpha_bar(n, lo=1e-4, hi=0.02):
    scale = 1000.0 / n
    return torch.cumprod(1 - torch.linspace(lo * scale, min(hi * scale, 0.99), n), 0)


SCHEDULES = {"cosine": cosine_alpha_bar, "linear": linear_alpha_bar}
