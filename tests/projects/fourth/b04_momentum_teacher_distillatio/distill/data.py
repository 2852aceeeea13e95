import torch


def augment(x, drop=0.2):
    x = x.clone()
    x[torch.rand_like(x) < drop] = 0
    return x.add_(torch.randn_like(x), alpha=0.05)


def make_views(dim, batch, steps):
    for _ in range(steps):
        x = torch.randn(batch, dim)
        yield augment(x), augment(x)
