"""E(n)-equivariant message passing on small point clouds, predicting an energy."""
from dataclasses import dataclass

import torch
from torch import nn, Tensor


@dataclass
class Graph:
    z: Tensor
    pos: Tensor
    edge: Tensor
    batch: Tensor

    @property
    def num_graphs(self) -> int:
        return int(self.batch.max()) + 1

    @staticmethod
    def collate(items: "list[tuple[Tensor, Tensor]]") -> "Graph":
        zs, ps, es, bs, off = [], [], [], [], 0
        for g, (z, p) in enumerate(items):
            n = len(z)
            full = torch.ones(n, n, dtype=torch.bool)
            full.fill_diagonal_(False)
            zs.append(z), ps.append(p)
            es.append(full.nonzero().T.add_(off))
            bs.append(torch.full((n,), g))
            off += n
        return Graph(torch.cat(zs), torch.cat(ps), torch.cat(es, 1), torch.cat(bs))


def aggregate(src: Tensor, index: Tensor, n: int) -> Tensor:
    return src.new_zeros(n, src.shape[1]).index_add_(0, index, src)


class EquivariantBlock(nn.Module):
    def __init__(self, dim: int):
        super().__init__()
        self.msg = nn.Sequential(nn.Linear(2 * dim + 1, dim), nn.SiLU(), nn.Linear(dim, dim), nn.SiLU())
        self.shift = nn.Sequential(nn.Linear(dim, dim), nn.SiLU(), nn.Linear(dim, 1, bias=False))
        self.update = nn.Sequential(nn.Linear(2 * dim, dim), nn.SiLU(), nn.Linear(dim, dim))

    def forward(self, h: Tensor, x: Tensor, edge: Tensor):
        dst, src = edge
        rel = x[dst] - x[src]
        d2 = rel.square().sum(-1, keepdim=True)
        m = self.msg(torch.cat([h[dst], h[src], d2], -1))
        step = rel / (d2.sqrt() + 1) * self.shift(m)
        x.index_add_(0, dst, step, alpha=0.1)
        h += self.update(torch.cat([h, aggregate(m, dst, len(h))], -1))
        return h, x


class EnergyModel(nn.Module):
    def __init__(self, kinds: int = 5, dim: int = 24, depth: int = 3):
        super().__init__()
        self.embed = nn.Embedding(kinds, dim)
        self.blocks = nn.ModuleList(EquivariantBlock(dim) for _ in range(depth))
        self.readout = nn.Linear(dim, 1)

    def forward(self, g: Graph) -> Tensor:
        h, x = self.embed(g.z), g.pos.clone()
        for block in self.blocks:
            h, x = block(h, x, g.edge)
        return aggregate(self.readout(h), g.batch, g.num_graphs).squeeze(-1)


def centred(points: Tensor) -> Tensor:
    points -= points.mean(0, keepdim=True)
    return points


def random_molecules(count: int) -> Graph:
    items = []
    for _ in range(count):
        n = int(torch.randint(3, 7, ()))
        items.append((torch.randint(0, 5, (n,)), centred(torch.randn(n, 3))))
    return Graph.collate(items)


# --- driver ---
torch.manual_seed(5)
model = EnergyModel()
opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
for _ in range(3):
    graph = random_molecules(4)
    loss = nn.functional.smooth_l1_loss(model(graph), torch.randn(4))
    opt.zero_grad()
    loss.backward()
    opt.step()
