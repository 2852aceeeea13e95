"""Molecular property regression: scatter-based message passing and virtual node."""
from typing import List, NamedTuple

import torch
import torch.nn as nn
import torch.nn.functional as F


class MolBatch(NamedTuple):
    x: torch.Tensor
    edge_index: torch.Tensor
    edge_type: torch.Tensor
    batch: torch.Tensor
    y: torch.Tensor
    n_graphs: int


def scatter_sum(src, index, size):
    out = torch.zeros(size, src.size(1))
    out.index_add_(0, index, src)
    return out


def scatter_mean(src, index, size):
    total = scatter_sum(src, index, size)
    count = torch.zeros(size).index_add_(0, index, torch.ones(index.numel()))
    return total / count.clamp_(min=1).unsqueeze(1)


def scatter_softmax(score, index, size):
    top = torch.full((size,), float('-inf'))
    top.scatter_reduce_(0, index, score.detach(), reduce='amax')
    e = (score - top[index]).exp()
    norm = torch.zeros(size).index_add(0, index, e)
    return e / (norm[index] + 1e-9)


class BondConv(nn.Module):
    def __init__(self, dim, n_bonds):
        super().__init__()
        self.bond = nn.Embedding(n_bonds, dim)
        self.msg, self.att = nn.Linear(dim, dim), nn.Linear(2 * dim, 1)
        self.gru = nn.GRUCell(dim, dim)

    def forward(self, h, edge_index, edge_type):
        src, dst = edge_index
        m = self.msg(h[src])
        m += self.bond(edge_type)
        m = F.relu_(m)
        score = F.leaky_relu_(self.att(torch.cat([h[dst], m], 1)), 0.2).squeeze(1)
        a = scatter_softmax(score, dst, h.size(0))
        return self.gru(scatter_sum(a.unsqueeze(1) * m, dst, h.size(0)), h)


class VirtualNode(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.init = nn.Parameter(torch.zeros(1, dim))
        self.mlp = nn.Sequential(nn.Linear(dim, dim), nn.ReLU(inplace=True), nn.Linear(dim, dim))

    def start(self, n):
        return self.init.repeat(n, 1)

    def forward(self, v, h, batch):
        v = v + self.mlp(scatter_mean(h, batch, v.size(0)))
        return v, h + v[batch]


class MolNet(nn.Module):
    def __init__(self, n_atoms=6, n_bonds=3, dim=12, layers=2):
        super().__init__()
        self.atom = nn.Embedding(n_atoms, dim)
        self.convs = nn.ModuleList([BondConv(dim, n_bonds) for _ in range(layers)])
        self.vns = nn.ModuleList([VirtualNode(dim) for _ in range(layers)])
        self.read = nn.Linear(dim, 1)

    def forward(self, b: MolBatch):
        h = self.atom(b.x)
        v = self.vns[0].start(b.n_graphs)
        for conv, vn in zip(self.convs, self.vns):
            v, h = vn(v, conv(h, b.edge_index, b.edge_type), b.batch)
        return self.read(scatter_mean(h, b.batch, b.n_graphs)).squeeze(1)


def collate(mols: List[dict]) -> MolBatch:
    sizes = torch.tensor([m['x'].numel() for m in mols])
    offs = torch.cumsum(sizes, 0) - sizes
    edges = [m['edges'] + o for m, o in zip(mols, offs)]
    return MolBatch(torch.cat([m['x'] for m in mols]), torch.cat(edges, 1), torch.cat([m['bond'] for m in mols]),
                    torch.repeat_interleave(torch.arange(len(mols)), sizes), torch.stack([m['y'] for m in mols]), len(mols))


def random_molecule():
    n = int(torch.randint(4, 8, ()))
    e = torch.randint(0, n, (2, 2 * n))
    return {'x': torch.randint(0, 6, (n,)), 'edges': e, 'bond': torch.randint(0, 3, (2 * n,)), 'y': torch.randn(())}


def train(model, batches, lr=1e-3):
    opt = torch.optim.Adam(model.parameters(), lr=lr)
    mean = torch.cat([b.y for b in batches]).mean()
    for b in batches:
        y = b.y.clone().sub_(mean)
        loss = F.l1_loss(model(b), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        yield loss.item()


# --- driver ---
print(list(train(MolNet(), [collate([random_molecule() for _ in range(4)]) for _ in range(2)])))
