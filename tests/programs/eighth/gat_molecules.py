import random
from collections import namedtuple

import torch
import torch.nn as nn
import torch.nn.functional as F

Batch = namedtuple("Batch", "x edges graph_id n_graphs y")


def scatter_sum(src, index, size):
    out = src.new_zeros((size,) + src.shape[1:])
    return out.index_add_(0, index, src)


def scatter_max(src, index, size):
    out = src.new_full((size,) + src.shape[1:], float("-inf"))
    idx = index.view(-1, *[1] * (src.dim() - 1)).expand_as(src)
    return out.scatter_reduce_(0, idx, src, reduce="amax", include_self=True)


def segment_softmax(score, index, size):
    with torch.no_grad():
        top = scatter_max(score, index, size)
    score = score - top[index]
    score = score.exp_()
    denom = scatter_sum(score, index, size)
    return score / denom.clamp(min=1e-9)[index]


class GATLayer(nn.Module):
    def __init__(self, n_in, n_out, heads):
        super().__init__()
        self.h, self.d = heads, n_out // heads
        self.lin = nn.Linear(n_in, n_out, bias=False)
        self.a_src = nn.Parameter(torch.empty(heads, self.d).normal_(std=0.3))
        self.a_dst = nn.Parameter(torch.empty(heads, self.d).normal_(std=0.3))
        self.bias = nn.Parameter(torch.zeros(n_out))

    def forward(self, x, edges):
        src, dst = edges
        n = x.size(0)
        z = self.lin(x).view(n, self.h, self.d)
        score = (z * self.a_src).sum(-1)[src]
        score += (z * self.a_dst).sum(-1)[dst]
        alpha = segment_softmax(F.leaky_relu_(score, 0.2), dst, n)
        out = scatter_sum(z[src] * alpha.unsqueeze(-1), dst, n).flatten(1)
        out += self.bias
        return out


class MeanReadout(nn.Module):
    def forward(self, x, graph_id, n):
        count = torch.zeros(n).index_add_(0, graph_id, torch.ones_like(graph_id, dtype=torch.float))
        total = scatter_sum(x, graph_id, n)
        total.div_(count.clamp_(min=1).unsqueeze(1))
        return total


class MoleculeNet(nn.Module):
    def __init__(self, atoms=5, dim=12, heads=2, depth=2):
        super().__init__()
        self.emb = nn.Embedding(atoms, dim)
        self.layers = nn.ModuleList(GATLayer(dim, dim, heads) for _ in range(depth))
        self.norms = nn.ModuleList(nn.LayerNorm(dim) for _ in range(depth))
        self.readout, self.out = MeanReadout(), nn.Linear(dim, 1)

    def forward(self, b: Batch):
        x = self.emb(b.x)
        for layer, norm in zip(self.layers, self.norms):
            y = F.elu_(layer(norm(x), b.edges))
            x = x + y
        return self.out(self.readout(x, b.graph_id, b.n_graphs)).squeeze(1)


def random_molecule(rnd, atoms=5):
    n = rnd.randint(3, 6)
    x = torch.tensor([rnd.randrange(atoms) for _ in range(n)])
    bonds = [(i, rnd.randrange(i)) for i in range(1, n)]
    e = torch.tensor(bonds + [(b, a) for a, b in bonds] + [(i, i) for i in range(n)]).t()
    return x, e, float((x == 0).sum())


def collate(mols):
    xs, es, gid, ys, off = [], [], [], [], 0
    for i, (x, e, y) in enumerate(mols):
        e = e.clone()
        e += off
        off += x.numel()
        xs.append(x)
        es.append(e)
        gid.append(torch.full_like(x, i))
        ys.append(y)
    return Batch(torch.cat(xs), torch.cat(es, 1), torch.cat(gid), len(mols), torch.tensor(ys))


def train(model, steps, seed=0):
    rnd = random.Random(seed)
    opt = torch.optim.Adam(model.parameters(), lr=5e-3)
    for _ in range(steps):
        b = collate([random_molecule(rnd) for _ in range(4)])
        loss = F.l1_loss(model(b), b.y)
        opt.zero_grad()
        loss.backward()
        opt.step()
    return loss.item()


# --- driver ---
torch.manual_seed(0)
train(MoleculeNet(), steps=2)
