from collections import namedtuple

import torch

Graph = namedtuple("Graph", "x edge_index y")


def ring_graphs(n, dim, classes):
    g = torch.Generator().manual_seed(5)
    for _ in range(n):
        k = int(torch.randint(5, 9, (1,), generator=g))
        src = torch.arange(k)
        dst = (src + 1) % k
        x = torch.randn(k, dim, generator=g)
        x /= x.norm(dim=1, keepdim=True)
        y = torch.randint(0, classes, (k,), generator=g)
        yield Graph(x, torch.stack([torch.cat([src, dst]), torch.cat([dst, src])]), y)
