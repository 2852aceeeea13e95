import torch


def linear_scan(decay, u, h0=None):
    """h[t] = decay * h[t-1] + u[t], over dim 1."""
    out = torch.empty_like(u)
    h = torch.zeros_like(u[:, 0]) if h0 is None else h0
    for t in range(u.size(1)):
        out[:, t] = decay * (out[:, t - 1] if t else h) + u[:, t]  # BUG
    return out
