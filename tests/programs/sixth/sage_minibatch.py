import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F


class NeighborSampler:
    def __init__(self, indptr, indices, fanouts, seed=0):
        self.indptr, self.indices, self.fanouts = indptr, indices, fanouts
        self.rng = np.random.default_rng(seed)

    @classmethod
    def from_edges(cls, n, src, dst, fanouts):
        order = np.argsort(dst, kind="stable")
        indptr = np.zeros(n + 1, dtype=np.int64)
        np.add.at(indptr, dst + 1, 1)
        np.cumsum(indptr, out=indptr)
        return cls(indptr, src[order], fanouts)

    def hop(self, seeds, fanout):
        src, dst = [], []
        for local, v in enumerate(seeds):
            nb = self.indices[self.indptr[v] : self.indptr[v + 1]]
            if len(nb) > fanout:
                nb = self.rng.choice(nb, fanout, replace=False)
            src.extend(nb)
            dst.extend([local] * len(nb))
        nodes = list(dict.fromkeys(list(seeds) + src))
        lookup = {v: i for i, v in enumerate(nodes)}
        return nodes, torch.tensor([lookup[s] for s in src], dtype=torch.long), torch.tensor(dst, dtype=torch.long)

    def sample(self, seeds):
        blocks = []
        for f in reversed(self.fanouts):
            nodes, src, dst = self.hop(seeds, f)
            blocks.append((src, dst, len(seeds)))
            seeds = nodes
        return np.array(seeds), blocks[::-1]


def mean_aggregate(h, src, dst, n):
    out = h.new_zeros(n, h.shape[1])
    out.index_add_(0, dst, h[src])
    deg = torch.zeros(n).scatter_add_(0, dst, torch.ones(len(dst)))
    out /= deg.clamp_(min=1).unsqueeze(-1)
    return out


class SAGEConv(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.self_lin, self.nb_lin = nn.Linear(d_in, d_out), nn.Linear(d_in, d_out, bias=False)

    def forward(self, h, block):
        src, dst, n = block
        out = self.self_lin(h[:n])
        out += self.nb_lin(mean_aggregate(h, src, dst, n))
        return out


class GraphSAGE(nn.Module):
    def __init__(self, d_in, dim, n_cls):
        super().__init__()
        self.convs = nn.ModuleList([SAGEConv(d_in, dim), SAGEConv(dim, n_cls)])
        self.bn = nn.BatchNorm1d(dim)

    def forward(self, x, blocks):
        h = self.convs[0](x, blocks[0])
        h = F.dropout(self.bn(h).relu_(), 0.1, self.training)
        return self.convs[1](h, blocks[1])


def train(model, sampler, x, y, batches):
    opt = torch.optim.Adam(model.parameters(), lr=1e-2)
    confusion = torch.zeros(3, 3, dtype=torch.long)
    for seeds in batches:
        nodes, blocks = sampler.sample(seeds)
        logits = model(x[nodes], blocks)
        target = y[torch.tensor(seeds)]
        loss = F.cross_entropy(logits, target)
        opt.zero_grad()
        loss.backward()
        opt.step()
        confusion.index_put_((target, logits.argmax(1)), torch.ones_like(target), accumulate=True)
    return confusion


# --- driver ---
torch.manual_seed(0)
rng = np.random.default_rng(0)
sampler = NeighborSampler.from_edges(12, rng.integers(0, 12, 40), rng.integers(0, 12, 40), (3, 3))
train(GraphSAGE(4, 8, 3), sampler, torch.randn(12, 4), torch.randint(0, 3, (12,)), [[0, 1, 2, 3], [4, 5, 6]])
