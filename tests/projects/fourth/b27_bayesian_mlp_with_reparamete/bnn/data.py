import torch


def gap_data(n):
    x = torch.empty(n, 1).uniform_(-2, 2)
    x[x.abs() < 0.5] += 0.8
    y = torch.sin(2 * x)
    y.add_(torch.randn_like(y), alpha=0.1)
    return x, y
