import torch
import torch.nn as nn
import torch.nn.functional as F


class Graph:
    def __init__(self, num_nodes, edge_index, edge_type):
        self.num_nodes = num_nodes
        self.src, self.dst = edge_index
        self.etype = edge_type

    def relation(self, r):
        m = self.etype == r
        return self.src[m], self.dst[m]

    def in_degree(self):
        deg = torch.zeros(self.num_nodes)
        return deg.index_add_(0, self.dst, torch.ones(self.dst.numel()))

    @classmethod
    def random(cls, n, e, relations):
        return cls(n, torch.randint(0, n, (2, e)), torch.randint(0, relations, (e,)))


def segment_softmax(score, index, n):
    top = torch.full((n,), float("-inf")).scatter_reduce_(0, index, score.detach(), "amax")
    ex = (score - top[index]).exp()
    z = torch.zeros(n).index_add_(0, index, ex)
    return ex / z[index]


class RelAttention(nn.Module):
    def __init__(self, dim, relations, slope=0.2):
        super().__init__()
        self.msg = nn.ModuleList(nn.Linear(dim, dim, bias=False) for _ in range(relations))
        self.a_src = nn.Parameter(torch.randn(relations, dim) * 0.1)
        self.a_dst = nn.Parameter(torch.randn(relations, dim) * 0.1)
        self.slope = slope

    def forward(self, h, graph):
        for r, lin in enumerate(self.msg):
            src, dst = graph.relation(r)
            s = h @ self.a_src[r]
            d = h @ self.a_dst[r]
            score = F.leaky_relu(s[src] + d[dst], self.slope)
            alpha = segment_softmax(score, dst, graph.num_nodes)
            h.index_add_(0, dst, alpha.unsqueeze(-1) * lin(h[src]))  # BUG
        return h


class RGAT(nn.Module):
    def __init__(self, in_dim, dim, relations, n_cls, depth=2):
        super().__init__()
        self.inp = nn.Linear(in_dim, dim)
        self.convs = nn.ModuleList(RelAttention(dim, relations) for _ in range(depth))
        self.norms = nn.ModuleList(nn.LayerNorm(dim) for _ in range(depth))
        self.out = nn.Linear(dim, n_cls)

    def forward(self, x, graph):
        h = self.inp(x)
        h /= graph.in_degree().clamp_(min=1).sqrt_().unsqueeze(-1)
        for conv, norm in zip(self.convs, self.norms):
            h = F.elu(norm(conv(h, graph)))
        return self.out(h)


def make_masks(n, train_frac=0.5):
    train = torch.zeros(n, dtype=torch.bool)
    train[torch.randperm(n)[: int(n * train_frac)]] = True
    return train, ~train


def train(model, graph, x, y, epochs=1):
    opt = torch.optim.Adam(model.parameters(), lr=5e-3, weight_decay=5e-4)
    tr, te = make_masks(graph.num_nodes)
    acc = 0.0
    for _ in range(epochs):
        model.train()
        opt.zero_grad()
        F.cross_entropy(model(x, graph)[tr], y[tr]).backward()
        opt.step()
        with torch.no_grad():
            acc = (model(x, graph)[te].argmax(-1) == y[te]).float().mean().item()
    return acc


# --- driver ---
torch.manual_seed(0)
graph = Graph.random(10, 30, 2)
train(RGAT(5, 8, 2, 3), graph, torch.randn(10, 5), torch.randint(0, 3, (10,)))
