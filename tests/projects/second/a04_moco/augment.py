import torch


def jitter(x, sigma=0.1):
    out = x.clone()
    out += sigma * torch.randn_like(x)
    return out


def two_views(x):
    return jitter(x), jitter(x)
