import torch
from torch import nn


class Graph:
    def __init__(self, n, edges):
        self.n = n
        self.src, self.dst = edges
        self.batch = torch.zeros(n, dtype=torch.long)

    @staticmethod
    def collate(graphs):
        off, edges, batch = 0, [], []
        for i, g in enumerate(graphs):
            e = torch.stack([g.src, g.dst])
            e += off
            edges.append(e)
            batch.append(torch.full((g.n,), i))
            off += g.n
        out = Graph(off, torch.cat(edges, 1))
        out.batch = torch.cat(batch)
        return out

    def gcn_weights(self):
        deg = torch.ones(self.n)
        deg.scatter_add_(0, self.dst, torch.ones(len(self.dst)))
        inv = deg.pow_(-0.5)
        inv[torch.isinf(inv)] = 0
        return inv[self.src] * inv[self.dst], inv.square()


class GCNConv(nn.Module):
    def __init__(self, cin, cout):
        super().__init__()
        self.lin = nn.Linear(cin, cout, bias=False)
        self.bias = nn.Parameter(torch.zeros(cout))

    def forward(self, x, g):
        w, loop = g.gcn_weights()
        h = self.lin(x)
        out = h * loop[:, None]
        out.index_add_(0, g.dst, h[g.src] * w[:, None])
        out += self.bias
        return out


class GraphNorm(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(d))

    def forward(self, x, g):
        n = int(g.batch.max()) + 1
        cnt = torch.bincount(g.batch, minlength=n).float().clamp_(min=1)
        mean = x.new_zeros(n, x.size(1)).index_add_(0, g.batch, x)
        mean = mean / cnt[:, None]
        cen = x - mean[g.batch]
        var = x.new_zeros(n, x.size(1)).index_add_(0, g.batch, cen.pow(2))
        var = (var / cnt[:, None]).add_(1e-5)
        return self.scale * cen / var[g.batch].sqrt()


class GraphNet(nn.Module):
    def __init__(self, cin, h, out, depth=2):
        super().__init__()
        sizes = [cin] + [h] * depth
        self.convs = nn.ModuleList(GCNConv(a, b) for a, b in zip(sizes, sizes[1:]))
        self.norms = nn.ModuleList(GraphNorm(h) for _ in range(depth))
        self.head = nn.Linear(2 * h, out)

    def forward(self, x, g):
        for conv, norm in zip(self.convs, self.norms):
            x = norm(conv(x, g), g).relu_()
        n = int(g.batch.max()) + 1
        add = torch.zeros(n, x.size(1)).index_add_(0, g.batch, x)
        top = torch.full((n, x.size(1)), -1e9)
        top = top.scatter_reduce(0, g.batch[:, None].expand_as(x), x, "amax")
        return self.head(torch.cat([add, top], 1))


def drop_edges(g, p):
    keep = torch.empty(len(g.src)).uniform_().ge_(p).bool()
    out = Graph(g.n, torch.stack([g.src[keep], g.dst[keep]]))
    out.batch = g.batch
    return out


# --- driver ---
torch.manual_seed(7)
gs = [Graph(n, torch.randint(0, n, (2, 3 * n))) for n in (4, 5, 6)]
g = Graph.collate(gs)
net = GraphNet(3, 8, 1)
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
x, y = torch.randn(g.n, 3), torch.randn(3, 1)
for _ in range(2):
    opt.zero_grad()
    nn.functional.mse_loss(net(x, drop_edges(g, 0.1)), y).backward()
    opt.step()
