"""Message passing on citation-like graphs."""
import abc
from typing import NamedTuple

import torch
import torch.nn as nn
import torch.nn.functional as F


class Graph(NamedTuple):
    x: torch.Tensor
    edge_index: torch.Tensor
    y: torch.Tensor
    train_mask: torch.Tensor


def random_graph(n=20, e=60, f=8, c=3, seed=0) -> Graph:
    g = torch.Generator().manual_seed(seed)
    mask = torch.zeros(n, dtype=torch.bool)
    mask[torch.randperm(n, generator=g)[: n // 2]] = True
    return Graph(
        torch.randn(n, f, generator=g),
        torch.randint(0, n, (2, e), generator=g),
        torch.randint(0, c, (n,), generator=g),
        mask,
    )


def inv_degree(dst, n):
    deg = torch.zeros(n)
    deg.scatter_add_(0, dst, torch.ones_like(dst, dtype=torch.float))
    return deg.clamp_(min=1).reciprocal_()


class MessagePassing(nn.Module, abc.ABC):
    @abc.abstractmethod
    def message(self, h_src, h_dst):
        ...

    @abc.abstractmethod
    def update(self, h, msg, dst):
        ...

    def forward(self, h, edge_index):
        src, dst = edge_index
        w = inv_degree(dst, h.size(0))[dst].unsqueeze(1)
        msg = self.message(h[src], h[dst]) * w
        return self.update(h, msg, dst)


class EdgeGatedConv(MessagePassing):
    def __init__(self, dim):
        super().__init__()
        self.lin = nn.Linear(dim, dim)
        self.gate = nn.Linear(2 * dim, 1)

    def message(self, h_src, h_dst):
        g = torch.sigmoid(self.gate(torch.cat([h_src, h_dst], -1)))
        return g * self.lin(h_src)

    def update(self, h, msg, dst):
        out = torch.zeros_like(h)
        out.index_add_(0, dst, msg)
        return F.relu(out + h, inplace=True)


class ResidualConv(MessagePassing):
    def __init__(self, dim):
        super().__init__()
        self.self_lin = nn.Linear(dim, dim)
        self.nbr_lin = nn.Linear(dim, dim)

    def message(self, h_src, h_dst):
        return self.nbr_lin(h_src)

    def update(self, h, msg, dst):
        skip = self.self_lin(h)
        h.index_add_(0, dst, msg)  # BUG
        return h + skip


class CitationNet(nn.Module):
    layers_by_kind = {"gated": EdgeGatedConv, "res": ResidualConv}

    def __init__(self, in_dim, dim, classes, kinds):
        super().__init__()
        self.inp = nn.Linear(in_dim, dim)
        self.convs = nn.ModuleList(self.layers_by_kind[k](dim) for k in kinds)
        self.out = nn.Linear(dim, classes)

    def forward(self, g: Graph):
        h = torch.tanh(self.inp(g.x))
        for conv in self.convs:
            h = conv(h, g.edge_index)
        return self.out(h)


def train(net, graph, epochs):
    opt = torch.optim.Adam(net.parameters(), lr=1e-2, weight_decay=5e-4)
    for _ in range(epochs):
        opt.zero_grad()
        logits = net(graph)
        loss = F.cross_entropy(logits[graph.train_mask], graph.y[graph.train_mask])
        loss.backward()
        opt.step()
    return (logits.argmax(1) == graph.y).float().mean().item()


# --- driver ---
torch.manual_seed(0)
train(CitationNet(8, 12, 3, ["gated", "res"]), random_graph(), 2)
