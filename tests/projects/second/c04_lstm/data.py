import torch


def toy(n=3, t=5, d=4):
    x = torch.randn(n, t, d)
    lengths = torch.randint(1, t + 1, (n,))
    mask = torch.arange(t)[None] < lengths[:, None]
    x[~mask] = 0
    return x, mask
