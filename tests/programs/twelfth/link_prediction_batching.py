import torch
import torch.nn.functional as F
from torch import nn, Tensor
from typing import List, Tuple


class SubgraphBatch:
    """Holds several enclosing subgraphs; node features are looked up before the graphs are merged into one."""

    def __init__(self, items: List[Tuple[Tensor, Tensor, Tensor, float]]):
        self.node_ids = [it[0] for it in items]
        self.edges = [it[1] for it in items]
        self.pairs = [it[2] for it in items]
        self.y = torch.tensor([it[3] for it in items])

    def __len__(self):
        return len(self.y)

    def merged_pairs(self, sizes: List[int]) -> Tensor:
        off = 0
        for pair, n in zip(self.pairs, sizes):
            pair += off  # BUG
            off += n
        return torch.stack(self.pairs)

    def merged_edges(self, sizes: List[int]) -> Tensor:
        starts = torch.tensor([0] + sizes[:-1]).cumsum(0)
        return torch.cat([e + s for e, s in zip(self.edges, starts)], 1)


class DistanceLabel(nn.Module):
    """Embeds how each of the two target nodes sees its own graph."""

    def __init__(self, n: int, d: int):
        super().__init__()
        self.table = nn.Parameter(torch.randn(n, d) * 0.1)

    def forward(self, x: Tensor, pair: Tensor) -> Tensor:
        mark = x.index_select(0, pair).mean(0, keepdim=True)
        return x + torch.tanh(mark) * self.table[: len(x)]


class SageConv(nn.Module):
    def __init__(self, i: int, o: int):
        super().__init__()
        self.own, self.nbr = nn.Linear(i, o), nn.Linear(i, o, bias=False)

    def forward(self, x: Tensor, e: Tensor) -> Tensor:
        agg = torch.zeros_like(x).index_add_(0, e[1], x[e[0]])
        deg = torch.zeros(len(x), 1).index_add_(0, e[1], torch.ones(e.shape[1], 1))
        agg = agg / deg.clamp_(min=1)
        return self.own(x) + self.nbr(agg)


class LinkModel(nn.Module):
    def __init__(self, nodes: int, d: int = 12, max_nodes: int = 16):
        super().__init__()
        self.emb = nn.Embedding(nodes, d)
        self.label = DistanceLabel(max_nodes, d)
        self.c1, self.c2 = SageConv(d, d), SageConv(d, d)
        self.score = nn.Bilinear(d, d, 1)

    def forward(self, batch: SubgraphBatch) -> Tensor:
        feats = [self.label(self.emb(ids), pair) for ids, pair in zip(batch.node_ids, batch.pairs)]
        sizes = [len(f) for f in feats]
        x, e = torch.cat(feats), batch.merged_edges(sizes)
        x = torch.relu_(self.c1(x, e))
        x = self.c2(x, e)
        pairs = batch.merged_pairs(sizes)
        return self.score(x[pairs[:, 0]], x[pairs[:, 1]]).squeeze(1)


def draw_item(nodes: int) -> Tuple[Tensor, Tensor, Tensor, float]:
    n = int(torch.randint(4, 9, ()))
    return torch.randint(0, nodes, (n,)), torch.randint(0, n, (2, 2 * n)), torch.randperm(n)[:2], float(torch.rand(()) < 0.5)


# --- driver ---
torch.manual_seed(41)
model = LinkModel(40)
opt = torch.optim.Adam(model.parameters(), 1e-2)
for _ in range(3):
    b = SubgraphBatch([draw_item(40) for _ in range(6)])
    loss = F.binary_cross_entropy_with_logits(model(b), b.y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(loss.item())
