"""Mini-batch GNN on a large graph: out-of-batch neighbours come from a table of historical embeddings."""
from dataclasses import dataclass
from typing import Iterator, List

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import Tensor


@dataclass
class SubGraph:
    nodes: Tensor
    halo: Tensor
    edge: Tensor

    @property
    def n_core(self) -> int:
        return len(self.nodes)


class PartitionLoader:
    def __init__(self, edge: Tensor, n: int, parts: int):
        self.edge, self.n = edge, n
        self.parts = torch.randperm(n).chunk(parts)

    def __iter__(self) -> Iterator[SubGraph]:
        local = torch.empty(self.n, dtype=torch.long)
        for nodes in self.parts:
            inside = torch.zeros(self.n, dtype=torch.bool)
            inside[nodes] = True
            edge = self.edge[:, inside[self.edge[1]]]
            around = torch.zeros(self.n, dtype=torch.bool)
            around[edge[0]] = True
            around[nodes] = False
            halo = around.nonzero().squeeze(1)
            local[nodes] = torch.arange(len(nodes))
            local[halo] = torch.arange(len(halo)).add_(len(nodes))
            yield SubGraph(nodes, halo, local[edge])


class History:
    def __init__(self, n: int, dim: int):
        self.table = torch.zeros(n, dim)
        self.age = torch.zeros(n, dtype=torch.long)

    def pull(self, idx: Tensor) -> Tensor:
        return self.table[idx]

    @torch.no_grad()
    def push(self, idx: Tensor, h: Tensor) -> None:
        self.table[idx] = h
        self.age += 1
        self.age[idx] = 0


class SageConv(nn.Module):
    def __init__(self, din: int, dout: int):
        super().__init__()
        self.own, self.nbr = nn.Linear(din, dout), nn.Linear(din, dout, bias=False)

    def forward(self, x: Tensor, edge: Tensor, n_out: int) -> Tensor:
        total = x.new_zeros(n_out, x.shape[1]).index_add_(0, edge[1], x[edge[0]])
        degree = torch.zeros(n_out, 1).index_add_(0, edge[1], torch.ones(edge.shape[1], 1))
        out = self.own(x[:n_out])
        out += self.nbr(total / degree.clamp_(min=1))
        return out


class HistoricalSage(nn.Module):
    def __init__(self, n: int, dims: List[int]):
        super().__init__()
        self.convs = nn.ModuleList(SageConv(a, b) for a, b in zip(dims, dims[1:]))
        self.norms = nn.ModuleList(nn.LayerNorm(d) for d in dims[1:-1])
        self.history = [History(n, d) for d in dims[1:-1]]

    def forward(self, x: Tensor, sub: SubGraph) -> Tensor:
        h = x[torch.cat([sub.nodes, sub.halo])]
        for i, conv in enumerate(self.convs):
            h = conv(h, sub.edge, sub.n_core)
            if i == len(self.convs) - 1:
                return h
            h = F.relu(self.norms[i](h))
            past = self.history[i]
            past.push(sub.nodes, h)
            h = torch.cat([h, past.pull(sub.halo)])


def random_graph(n: int, degree: int) -> Tensor:
    src, dst = torch.randint(n, (2, n * degree))
    src[src == dst] += 1
    src.remainder_(n)
    return torch.cat([torch.stack([src, dst]), torch.stack([dst, src])], 1)


def epoch(model: HistoricalSage, opt, loader: PartitionLoader, x: Tensor, y: Tensor) -> Tensor:
    seen = torch.zeros(2)
    for sub in loader:
        logits = model(x, sub)
        loss = F.cross_entropy(logits, y[sub.nodes])
        opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        opt.step()
        seen += torch.tensor([loss.item() * sub.n_core, sub.n_core])
    return seen[0] / seen[1]


# --- driver ---
torch.manual_seed(49)
edge = random_graph(40, 3)
loader = PartitionLoader(edge, 40, parts=3)
model = HistoricalSage(40, [8, 12, 12, 3])
opt = torch.optim.Adam(model.parameters(), lr=5e-3)
for _ in range(2):
    epoch(model, opt, loader, torch.randn(40, 8), torch.randint(0, 3, (40,)))
