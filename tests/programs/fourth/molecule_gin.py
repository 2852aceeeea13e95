from typing import List, NamedTuple

import torch
import torch.nn as nn
import torch.nn.functional as F


class Graph(NamedTuple):
    atoms: torch.Tensor
    edges: torch.Tensor
    bonds: torch.Tensor
    y: torch.Tensor


def collate(graphs: List[Graph]):
    shift, edges, owner = 0, [], []
    for g, graph in enumerate(graphs):
        e = graph.edges.clone()
        e += shift
        edges.append(e)
        owner.append(torch.full((len(graph.atoms),), g))
        shift += len(graph.atoms)
    cat = lambda field: torch.cat([getattr(g, field) for g in graphs])
    return cat("atoms"), torch.cat(edges, 1), cat("bonds"), torch.cat(owner), torch.stack([g.y for g in graphs])


def scatter_mean(x, index, n):
    total = x.new_zeros(n, x.shape[1]).index_add_(0, index, x)
    count = x.new_zeros(n).scatter_add_(0, index, torch.ones(len(index)))
    return total.div_(count.clamp_(min=1).unsqueeze(1))


def edge_softmax(score, dst, n):
    peak = torch.full((n,), float("-inf")).scatter_reduce_(0, dst, score.detach(), "amax")
    e = (score - peak[dst]).exp()
    z = torch.zeros(n).index_add_(0, dst, e)
    return e / z[dst]


class GINE(nn.Module):
    def __init__(self, dim, n_bonds):
        super().__init__()
        self.bond = nn.Embedding(n_bonds, dim)
        self.eps = nn.Parameter(torch.zeros(1))
        self.att = nn.Linear(2 * dim, 1)
        self.mlp = nn.Sequential(nn.Linear(dim, 2 * dim), nn.BatchNorm1d(2 * dim), nn.ReLU(inplace=True), nn.Linear(2 * dim, dim))

    def forward(self, x, edges, bonds):
        src, dst = edges
        m = F.relu_(x[src] + self.bond(bonds))
        alpha = edge_softmax(self.att(torch.cat([m, x[dst]], -1)).squeeze(-1), dst, len(x))
        agg = (1 + self.eps) * x
        agg.index_add_(0, dst, m * alpha.unsqueeze(-1))
        return self.mlp(agg)


class Predictor(nn.Module):
    def __init__(self, n_atoms=6, n_bonds=4, dim=8, depth=3, tasks=2):
        super().__init__()
        self.atom = nn.Embedding(n_atoms, dim)
        self.layers = nn.ModuleList(GINE(dim, n_bonds) for _ in range(depth))
        self.norms = nn.ModuleList(nn.BatchNorm1d(dim) for _ in range(depth))
        self.head = nn.Linear(dim, tasks)

    def forward(self, atoms, edges, bonds, owner):
        h = self.atom(atoms)
        jump = torch.zeros_like(h)
        for i, (layer, norm) in enumerate(zip(self.layers, self.norms)):
            out = norm(layer(h, edges, bonds))
            out += h
            h = out if i + 1 == len(self.layers) else F.relu(out)
            jump += h
        return self.head(scatter_mean(jump, owner, int(owner.max()) + 1))


def masked_bce(logits, y):
    known = ~torch.isnan(y)
    target = y.clone()
    target[~known] = 0
    loss = F.binary_cross_entropy_with_logits(logits, target, reduction="none")
    loss.masked_fill_(~known, 0)
    return loss.sum() / known.sum().clamp_(min=1)


def random_molecule(n):
    chain = torch.stack([torch.arange(n - 1), torch.arange(1, n)])
    edges = torch.cat([chain, chain.flip(0)], 1)
    bonds = torch.randint(0, 4, (n - 1,)).repeat(2)
    y = torch.randint(0, 2, (2,)).float()
    y[torch.rand(2) < 0.3] = float("nan")
    return Graph(torch.randint(0, 6, (n,)), edges, bonds, y)


def train(model, batches, lr=1e-3):
    opt = torch.optim.Adam(model.parameters(), lr)
    for graphs in batches:
        *inputs, y = collate(graphs)
        loss = masked_bce(model(*inputs), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
    return loss.item()


# --- driver ---
torch.manual_seed(0)
train(Predictor(), [[random_molecule(n) for n in (4, 5, 6)] for _ in range(2)])
