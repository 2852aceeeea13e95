"""Traffic forecasting by message passing on a road graph."""
from functools import partial

import torch
import torch.nn as nn


def scatter_mean(src, index, n):
    out = src.new_zeros(n, src.size(-1))
    out.index_add_(0, index, src)
    deg = torch.bincount(index, minlength=n).clamp_(min=1)
    out /= deg.unsqueeze(-1)
    return out


class RoadGraph:
    def __init__(self, n, k, seed=0):
        gen = torch.Generator().manual_seed(seed)
        pos = torch.rand(n, 2, generator=gen)
        d = torch.cdist(pos, pos)
        d.fill_diagonal_(float("inf"))
        near = d.topk(k, largest=False)
        self.n = n
        self.src = near.indices.flatten()
        self.dst = torch.arange(n).repeat_interleave(k)
        self.weight = torch.exp(-near.values.flatten())


class AccumulateConv(nn.Module):
    """Adds transformed neighbour features onto the node states."""

    def __init__(self, dim):
        super().__init__()
        self.msg = nn.Sequential(nn.Linear(dim, dim), nn.ReLU(inplace=True), nn.Linear(dim, dim))
        self.update = nn.Linear(dim, dim)

    def forward(self, h, graph):
        m = self.msg(h[graph.src])
        m = m * graph.weight.unsqueeze(-1)
        h.index_add_(0, graph.dst, m)
        return self.update(h)


class MeanConv(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.own, self.nbr = nn.Linear(dim, dim), nn.Linear(dim, dim)

    def forward(self, h, graph):
        out = self.own(h)
        out += self.nbr(scatter_mean(h[graph.src], graph.dst, graph.n))
        return out.relu_()


class TrafficNet(nn.Module):
    def __init__(self, window, dim=20, layers=("mean", "accumulate", "accumulate")):
        super().__init__()
        table = {"mean": partial(MeanConv, dim), "accumulate": partial(AccumulateConv, dim)}
        self.lift = nn.Linear(window, dim)
        self.convs = nn.ModuleList([table[name]() for name in layers])
        self.mid = nn.Linear(dim, dim)
        self.out = nn.Linear(dim, 1)

    def forward(self, x, graph):
        h = self.lift(x)
        for conv in self.convs:
            h = self.mid(conv(h, graph))
        return self.out(h).squeeze(-1)


def sensor_series(n, steps):
    t = torch.arange(steps).float()
    base = torch.sin(t / 6)[None] + 0.3 * torch.randn(n, 1)
    noise = 0.05 * torch.randn(n, steps)
    base = base + noise
    base[torch.rand(n, steps) < 0.02] = 0.0
    return base


# --- driver ---
def main():
    torch.manual_seed(0)
    graph = RoadGraph(20, 3)
    series = sensor_series(20, 60)
    net = TrafficNet(window=6)
    opt = torch.optim.Adam(net.parameters(), lr=3e-3)
    for step in range(3):
        lo = int(torch.randint(0, 50, ()))
        pred = net(series[:, lo:lo + 6], graph)
        truth = series[:, lo + 6]
        seen = truth.ne(0).float()
        loss = ((pred - truth).abs() * seen).sum() / seen.sum()
        opt.zero_grad()
        loss.backward()
        opt.step()
        print(step, loss.item())


if __name__ == "__main__":
    main()
