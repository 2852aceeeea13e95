"""Graph classification with degree normalisation, edge dropping and virtual nodes."""
from typing import List, NamedTuple, Tuple

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import Tensor


class Batch(NamedTuple):
    x: Tensor
    edges: Tensor
    graph: Tensor
    y: Tensor

    @property
    def n_graphs(self) -> int:
        return len(self.y)


def collate(items: List[Tuple[Tensor, Tensor, int]]) -> Batch:
    xs, es, gs, shift = [], [], [], 0
    for i, (x, e, _) in enumerate(items):
        e = e.clone()
        e += shift
        xs.append(x)
        es.append(e)
        gs.append(torch.full((len(x),), i))
        shift += len(x)
    return Batch(torch.cat(xs), torch.cat(es, 1), torch.cat(gs), torch.tensor([y for *_, y in items]))


def gcn_norm(edges: Tensor, n: int) -> Tuple[Tensor, Tensor]:
    loops = torch.arange(n)
    edges = torch.cat([edges, loops.expand(2, -1)], 1)
    deg = torch.zeros(n).scatter_add_(0, edges[1], torch.ones(edges.shape[1]))
    deg.pow_(-0.5)
    deg[deg.isinf()] = 0
    return edges, deg[edges[0]].mul_(deg[edges[1]])


def drop_edges(edges: Tensor, p: float) -> Tensor:
    keep = torch.empty(edges.shape[1]).bernoulli_(1 - p).bool()
    return edges[:, keep]


class GCN(nn.Module):
    def __init__(self, fin, fout):
        super().__init__()
        self.lin = nn.Linear(fin, fout, bias=False)
        self.bias = nn.Parameter(torch.zeros(fout))

    def forward(self, x, edges, w):
        h = self.lin(x)
        out = h.new_zeros(h.shape)
        out.index_add_(0, edges[1], h[edges[0]] * w[:, None])
        out += self.bias
        return out


class VirtualNode(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.mlp = nn.Sequential(nn.Linear(d, d), nn.LayerNorm(d), nn.ReLU(inplace=True))

    def forward(self, x, v, graph):
        pooled = v.clone().index_add_(0, graph, x)
        return self.mlp(pooled)


class GraphNet(nn.Module):
    def __init__(self, fin, d, classes, p_edge=0.2):
        super().__init__()
        self.inp = nn.Linear(fin, d)
        self.convs = nn.ModuleList(GCN(d, d) for _ in range(2))
        self.vn = VirtualNode(d)
        self.start = nn.Parameter(torch.zeros(1, d))
        self.head = nn.Linear(d, classes)
        self.p_edge = p_edge

    def forward(self, b: Batch):
        edges = drop_edges(b.edges, self.p_edge) if self.training else b.edges
        edges, w = gcn_norm(edges, len(b.x))
        x, v = self.inp(b.x), self.start.expand(b.n_graphs, -1)
        for conv in self.convs:
            h = conv(x, edges, w)
            h += v[b.graph]
            x = x + F.relu_(h)
            v = self.vn(x, v, b.graph)
        size = torch.bincount(b.graph, minlength=b.n_graphs).float().clamp_(min=1)
        mean = x.new_zeros(b.n_graphs, x.shape[1]).index_add_(0, b.graph, x)
        return self.head(mean / size[:, None])


# --- driver ---
torch.manual_seed(62)
graph = lambda n, y: (torch.randn(n, 3), torch.randint(0, n, (2, 2 * n)), y)
net = GraphNet(3, 6, 2)
opt = torch.optim.Adam(net.parameters(), 1e-2)
for _ in range(2):
    b = collate([graph(4, 0), graph(6, 1), graph(3, 1)])
    opt.zero_grad()
    F.cross_entropy(net(b), b.y).backward()
    opt.step()
