import torch


def pairs(n, batch, dim):
    w = torch.randn(dim)
    for _ in range(n):
        x = torch.randn(batch, dim)
        x.sub_(x.mean(0))
        v = torch.tanh(x @ w)
        yield {"x": x, "value": v, "sign": (v > 0).float()}
