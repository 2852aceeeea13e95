"""Road-network speed prediction with a residual graph layer."""
from dataclasses import dataclass

import torch
import torch.nn as nn
import torch.nn.functional as F


@dataclass
class RoadGraph:
    x: torch.Tensor
    edge_index: torch.Tensor
    edge_attr: torch.Tensor
    y: torch.Tensor

    @property
    def num_nodes(self):
        return self.x.size(0)


def degree(index, n):
    deg = torch.zeros(n)
    deg.index_add_(0, index, torch.ones(index.numel()))
    return deg.clamp_(min=1)


class EdgeMLP(nn.Module):
    def __init__(self, dim, edge_dim):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(2 * dim + edge_dim, dim), nn.ReLU(), nn.Linear(dim, dim))

    def forward(self, hi, hj, e):
        return self.net(torch.cat([hi, hj, e], dim=-1))


class GatedGraphLayer(nn.Module):
    def __init__(self, dim, edge_dim):
        super().__init__()
        self.node = nn.Linear(dim, dim)
        self.gate = nn.Linear(dim, dim)
        self.edge = EdgeMLP(dim, edge_dim)
        self.norm = nn.LayerNorm(dim)

    def forward(self, h, edge_index, edge_attr):
        src, dst = edge_index
        h = self.node(h)
        gate = torch.sigmoid(self.gate(h))
        msg = self.edge(h[dst], h[src], edge_attr)
        msg = msg / degree(dst, h.size(0))[dst].unsqueeze(-1)
        h.index_add_(0, dst, msg)  # BUG
        return self.norm(gate * h)


class SpeedForecaster(nn.Module):
    def __init__(self, in_dim, dim=16, edge_dim=3, layers=3, horizon=4):
        super().__init__()
        self.enc = nn.Linear(in_dim, dim)
        self.layers = nn.ModuleList([GatedGraphLayer(dim, edge_dim) for _ in range(layers)])
        self.dec = nn.Linear(dim, horizon)

    def forward(self, g: RoadGraph):
        h = F.relu(self.enc(g.x))
        for layer in self.layers:
            h = layer(h, g.edge_index, g.edge_attr)
        return self.dec(h)


def masked_mae(pred, target, null=0.0):
    mask = (target != null).float()
    mask /= mask.mean().clamp(min=1e-6)
    return ((pred - target).abs() * mask).mean()


class Trainer:
    def __init__(self, model, lr=1e-3, wd=1e-5):
        self.model = model
        self.opt = torch.optim.Adam(model.parameters(), lr=lr, weight_decay=wd)
        self.sched = torch.optim.lr_scheduler.StepLR(self.opt, 10, 0.5)

    def run(self, graphs):
        total = 0.0
        for g in graphs:
            self.opt.zero_grad(set_to_none=True)
            loss = masked_mae(self.model(g), g.y)
            loss.backward()
            self.opt.step()
            total += loss.item() * g.num_nodes
        self.sched.step()
        return total


def random_graph(n=20, e=50, f=5, horizon=4):
    ei = torch.randint(0, n, (2, e))
    return RoadGraph(torch.randn(n, f), ei, torch.randn(e, 3), torch.rand(n, horizon).mul_(60))


# --- driver ---
trainer = Trainer(SpeedForecaster(5))
for epoch in range(2):
    trainer.run([random_graph(), random_graph()])
