"""GraphSAGE + GCN-normalised propagation on a random citation graph."""
import torch
import torch.nn as nn
import torch.nn.functional as F


def make_graph(n=20, e=60, f=8, c=3):
    src, dst = torch.randint(0, n, (2, e))
    x = torch.rand(n, f)
    x /= x.sum(1, keepdim=True)
    y = torch.randint(0, c, (n,))
    mask = torch.zeros(n, dtype=torch.bool)
    mask[:n // 2] = True
    return x, torch.stack([src, dst]), y, mask


def gcn_norm(ei, n):
    deg = torch.ones(n)
    deg.scatter_add_(0, ei[1], torch.ones(ei.size(1)))
    inv = deg.pow_(-0.5)
    inv[torch.isinf(inv)] = 0
    return inv[ei[0]] * inv[ei[1]]


def drop_edge(ei, p):
    keep = torch.rand(ei.size(1)).ge_(p).bool()
    return ei[:, keep]


class SAGEConv(nn.Module):
    def __init__(self, i, o):
        super().__init__()
        self.self_lin, self.nbr_lin = nn.Linear(i, o), nn.Linear(i, o, bias=False)

    def forward(self, x, ei):
        src, dst = ei
        agg = torch.zeros_like(x)
        agg.index_add_(0, dst, x[src])
        deg = torch.zeros(x.size(0), 1)
        deg.index_add_(0, dst, torch.ones(len(dst), 1))
        deg.clamp_(min=1)
        agg /= deg
        out = self.self_lin(x)
        out += self.nbr_lin(agg)
        return out


class APPNP(nn.Module):
    def __init__(self, k=3, alpha=0.1):
        super().__init__()
        self.k, self.alpha = k, alpha

    def forward(self, h, ei, w):
        z = h
        for _ in range(self.k):
            msg = z[ei[0]] * w[:, None]
            nxt = torch.zeros_like(h)
            nxt.index_add_(0, ei[1], msg)
            nxt *= 1 - self.alpha
            nxt += self.alpha * h
            z = nxt
        return z


class Net(nn.Module):
    def __init__(self, f, h, c):
        super().__init__()
        self.conv, self.lin, self.prop = SAGEConv(f, h), nn.Linear(h, c), APPNP()

    def forward(self, x, ei):
        h = F.relu_(self.conv(x, ei))
        h = F.dropout(h, 0.2, self.training)
        return self.prop(self.lin(h), ei, gcn_norm(ei, x.size(0)))


def train(epochs):
    x, ei, y, mask = make_graph()
    model = Net(8, 16, 3)
    opt = torch.optim.Adam(model.parameters(), 0.01, weight_decay=5e-4)
    for _ in range(epochs):
        out = model(x, drop_edge(ei, 0.1))
        loss = F.cross_entropy(out[mask], y[mask])
        opt.zero_grad()
        loss.backward()
        opt.step()
    with torch.no_grad():
        pred = model.eval()(x, ei).argmax(1)
        pred[mask] = y[mask]
    return pred


# --- driver ---
torch.manual_seed(0)
train(2)
