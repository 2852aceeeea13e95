import abc
import torch
import torch.nn as nn
import torch.nn.functional as F


def add_self_loops(edge_index, w, n):
    loop = torch.arange(n).repeat(2, 1)
    return torch.cat([edge_index, loop], 1), torch.cat([w, w.new_ones(n)])


def gcn_norm(edge_index, w, n):
    src, dst = edge_index
    deg = w.new_zeros(n).scatter_add_(0, dst, w)
    inv = deg.pow(-0.5)
    inv.masked_fill_(inv == float("inf"), 0)
    return inv[src] * w * inv[dst]


class EdgeScorer(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.a = nn.Linear(2 * dim, 1)

    def forward(self, x, edge_index):
        s = self.a(torch.cat([x[edge_index[0]], x[edge_index[1]]], -1)).squeeze(-1)
        s += 1.0
        return F.softplus(s)


class Conv(nn.Module, abc.ABC):
    @abc.abstractmethod
    def forward(self, x, edge_index, w):
        ...

    @staticmethod
    def spread(x, edge_index, w):
        out = torch.zeros_like(x)
        out.index_add_(0, edge_index[1], w.unsqueeze(-1) * x[edge_index[0]])
        return out


class GCNConv(Conv):
    def __init__(self, i, o):
        super().__init__()
        self.lin = nn.Linear(i, o, bias=False)
        self.bias = nn.Parameter(torch.zeros(o))

    def forward(self, x, edge_index, w):
        out = self.spread(self.lin(x), edge_index, w)
        out += self.bias
        return out


class APPNP(Conv):
    def __init__(self, k=3, alpha=0.1):
        super().__init__()
        self.k, self.alpha = k, alpha

    def forward(self, x, edge_index, w):
        h = x
        for _ in range(self.k):
            h = self.spread(h, edge_index, w)
            h = h * (1 - self.alpha)
            h += self.alpha * x
        return h


class Net(nn.Module):
    def __init__(self, f, hidden, c):
        super().__init__()
        self.scorer = EdgeScorer(f)
        self.conv1, self.conv2, self.prop = GCNConv(f, hidden), GCNConv(hidden, c), APPNP()

    def forward(self, x, edge_index):
        w = self.scorer(x, edge_index)
        ei, w = add_self_loops(edge_index, w, x.size(0))
        w = gcn_norm(ei, w, x.size(0))
        h = F.relu_(self.conv1(x, ei, w))
        h = F.dropout(h, 0.5, self.training)
        return self.prop(self.conv2(h, ei, w), ei, w)


def split(n, frac, gen):
    mask = torch.zeros(n, dtype=torch.bool)
    mask[torch.randperm(n, generator=gen)[: int(frac * n)]] = True
    return mask, ~mask


def train(n=14, f=5, c=3, epochs=2):
    gen = torch.Generator().manual_seed(0)
    x = torch.randn(n, f, generator=gen)
    x /= x.norm(dim=1, keepdim=True)
    ei = torch.randint(n, (2, 40), generator=gen)
    y = torch.randint(c, (n,), generator=gen)
    tr, te = split(n, 0.5, gen)
    net = Net(f, 8, c)
    opt = torch.optim.Adam(net.parameters(), lr=0.01, weight_decay=5e-4)
    for _ in range(epochs):
        net.train()
        opt.zero_grad()
        F.cross_entropy(net(x, ei)[tr], y[tr]).backward()
        opt.step()
    net.eval()
    with torch.no_grad():
        return (net(x, ei).argmax(1)[te] == y[te]).float().mean().item()


# --- driver ---
torch.manual_seed(0)
train()
