"""Message passing network for graph regression on random molecules."""
import random
import torch
import torch.nn as nn


class Batch:
    def __init__(self, x, edge_index, edge_attr, batch, y):
        self.x, self.edge_index, self.edge_attr, self.batch, self.y = x, edge_index, edge_attr, batch, y

    @property
    def num_graphs(self):
        return int(self.batch.max()) + 1


def random_graph(n_graphs=3, n=5, e=8, f=6, fe=3):
    xs, eis, eas, bs = [], [], [], []
    for g in range(n_graphs):
        xs.append(torch.randn(n, f))
        eis.append(torch.randint(0, n, (2, e)) + g * n)
        ea = torch.zeros(e, fe)
        ea.scatter_(1, torch.randint(0, fe, (e, 1)), 1.0)
        eas.append(ea)
        bs.append(torch.full((n,), g))
    return Batch(torch.cat(xs), torch.cat(eis, 1), torch.cat(eas), torch.cat(bs), torch.randn(n_graphs))


class MPLayer(nn.Module):
    def __init__(self, dim, edge_dim):
        super().__init__()
        self.msg = nn.Sequential(nn.Linear(2 * dim + edge_dim, dim), nn.ReLU(inplace=True), nn.Linear(dim, dim))
        self.upd = nn.Linear(dim, dim)

    def forward(self, h, ei, ea):
        src, dst = ei
        h = torch.relu(self.upd(h))
        m = self.msg(torch.cat([h[src], h[dst], ea], dim=1))
        h.index_add_(0, dst, m)  # BUG
        return h


class MPNN(nn.Module):
    def __init__(self, f=6, fe=3, dim=16, n_layers=2):
        super().__init__()
        self.inp = nn.Linear(f, dim)
        self.layers = nn.ModuleList(MPLayer(dim, fe) for _ in range(n_layers))
        self.out = nn.Sequential(nn.Linear(dim, dim), nn.SiLU(), nn.Linear(dim, 1))

    def readout(self, h, b):
        pooled = h.new_zeros(b.num_graphs, h.size(1))
        pooled.index_add_(0, b.batch, h)
        return self.out(pooled).squeeze(-1)

    def forward(self, b):
        h = self.inp(b.x)
        for layer in self.layers:
            h = layer(h, b.edge_index, b.edge_attr)
        return self.readout(h, b)


def run(epochs=1, lr=1e-3):
    model = MPNN()
    opt = torch.optim.Adam(model.parameters(), lr=lr)
    best = float('inf')
    for ep in range(epochs):
        b = random_graph()
        loss = (model(b) - b.y).abs().mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        best = min(best, loss.item())
    return best


# --- driver ---
torch.manual_seed(0)
random.seed(0)
run()
