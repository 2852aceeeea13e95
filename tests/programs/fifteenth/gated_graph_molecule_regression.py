"""Gated message passing on random molecular graphs (regression)."""
import torch
import torch.nn as nn


class MolBatch:
    """Disjoint union of graphs: flat node features, edge list, graph ids."""

    def __init__(self, x, edges, graph, y):
        self.x, self.edges, self.graph, self.y = x, edges, graph, y

    @classmethod
    def random(cls, n_graphs, n_nodes, n_feat):
        n = n_graphs * n_nodes
        graph = torch.arange(n_graphs).repeat_interleave(n_nodes)
        src = torch.randint(0, n_nodes, (n * 3,))
        dst = torch.randint(0, n_nodes, (n * 3,))
        base = torch.randint(0, n_graphs, (n * 3,)) * n_nodes
        return cls(torch.randn(n, n_feat), torch.stack([src + base, dst + base]), graph, torch.randn(n_graphs))

    @property
    def num_graphs(self):
        return int(self.graph.max()) + 1


class GatedConv(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.message = nn.Linear(dim, dim)
        self.gate = nn.Linear(dim, dim)

    def forward(self, h, edges):
        src, dst = edges
        g = torch.sigmoid(self.gate(h))
        m = self.message(h[src]) * g[dst]
        return h.index_add_(0, dst, m)  # BUG


class Readout(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.score = nn.Linear(dim, 1)
        self.mlp = nn.Sequential(nn.Linear(dim, dim), nn.ReLU(), nn.Linear(dim, 1))

    def forward(self, h, graph, n):
        w = self.score(h).exp()
        den = h.new_zeros(n, 1).index_add_(0, graph, w)
        pooled = h.new_zeros(n, h.size(1)).index_add_(0, graph, w * h)
        return self.mlp(pooled / den).squeeze(-1)


class MolNet(nn.Module):
    def __init__(self, n_feat, dim=24, depth=3):
        super().__init__()
        self.lift = nn.Linear(n_feat, dim)
        self.convs = nn.ModuleList([GatedConv(dim) for _ in range(depth)])
        self.readout = Readout(dim)

    def forward(self, batch):
        h = self.lift(batch.x)
        for conv in self.convs:
            h = conv(h, batch.edges)
        return self.readout(h, batch.graph, batch.num_graphs)


def run(steps=3, lr=1e-3):
    torch.manual_seed(0)
    net = MolNet(n_feat=7)
    opt = torch.optim.Adam(net.parameters(), lr=lr)
    crit = nn.SmoothL1Loss()
    for s in range(steps):
        batch = MolBatch.random(4, 6, 7)
        pred = net(batch)
        loss = crit(pred, batch.y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        print(f"{s}: {loss.item():.4f}")


# --- driver ---
if __name__ == "__main__":
    run()
