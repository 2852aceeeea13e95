import torch


def split_non_iid(n_clients, n, dim):
    w = torch.randn(dim)
    shards = []
    for c in range(n_clients):
        x = torch.randn(n, dim)
        x[:, c % dim] += 1.5
        y = (x @ w > 0).float()
        flip = torch.rand(n) < 0.05
        y[flip] = 1 - y[flip]
        shards.append((x, y))
    return shards
