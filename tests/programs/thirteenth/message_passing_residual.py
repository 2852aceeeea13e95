from __future__ import annotations
import dataclasses
import torch
from torch import nn
import torch.nn.functional as F


@dataclasses.dataclass
class Graph:
    x: torch.Tensor            # [N, d]
    edge_index: torch.Tensor   # [2, E]
    y: torch.Tensor            # [N]

    @classmethod
    def random(cls, n, e, d, c):
        return cls(torch.randn(n, d), torch.randint(0, n, (2, e)), torch.randint(0, c, (n,)))

    @property
    def degree(self):
        one = torch.ones(self.edge_index.shape[1])
        return torch.zeros(len(self.x)).index_add_(0, self.edge_index[1], one).clamp_(min=1)


class EdgeGate(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.a = nn.Linear(d, d)
        self.b = nn.Linear(d, d)

    def forward(self, h, src, dst):
        return torch.sigmoid(self.a(h)[src] + self.b(h)[dst])


class GatedConv(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.gate = EdgeGate(d)
        self.value = nn.Linear(d, d)

    def messages(self, h, src, dst):
        return self.gate(h, src, dst) * self.value(h)[src]

    def forward(self, h, edge_index, inv_deg):
        src, dst = edge_index
        msg = self.messages(h, src, dst) * inv_deg[dst, None]
        return h.index_add_(0, dst, msg)  # BUG


class GatedGNN(nn.Module):
    def __init__(self, d_in, d, n_class, depth=3):
        super().__init__()
        self.embed = nn.Linear(d_in, d)
        self.convs = nn.ModuleList([GatedConv(d) for _ in range(depth)])
        self.norms = nn.ModuleList([nn.LayerNorm(d) for _ in range(depth)])
        self.readout = nn.Linear(d, n_class)

    def forward(self, g: Graph):
        inv_deg = g.degree.reciprocal_()
        h = self.embed(g.x)
        for conv, norm in zip(self.convs, self.norms):
            h = norm(conv(h, g.edge_index, inv_deg))
        return self.readout(F.relu(h))


def accuracy(logits, y):
    return (logits.argmax(-1) == y).float().mean().item()


def fit(model, g, *, epochs, lr=5e-3):
    opt = torch.optim.Adam(model.parameters(), lr=lr, weight_decay=5e-4)
    for ep in range(epochs):
        train_mask = torch.rand(len(g.x)) < 0.6
        logits = model(g)
        loss = F.cross_entropy(logits[train_mask], g.y[train_mask])
        opt.zero_grad()
        loss.backward()
        opt.step()
        yield ep, loss.item(), accuracy(logits[~train_mask], g.y[~train_mask])


# --- driver ---
torch.manual_seed(4)
graph = Graph.random(60, 240, 10, 4)
for row in fit(GatedGNN(10, 16, 4), graph, epochs=3):
    print("epoch %d loss %.3f val %.2f" % row)
