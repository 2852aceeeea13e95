"""GATv2 on a synthetic citation graph; scatter kernels written by hand."""
import torch
from torch import nn
from torch.nn import functional as F


class Graph:
    def __init__(self, num_nodes, src, dst):
        self.num_nodes, self.src, self.dst = num_nodes, src, dst

    @classmethod
    def erdos(cls, n, p):
        adj = torch.rand(n, n) < p
        adj.fill_diagonal_(True)
        src, dst = adj.nonzero(as_tuple=True)
        return cls(n, src, dst)

    def reduce(self, edge_values):
        shape = (self.num_nodes, *edge_values.shape[1:])
        return torch.zeros(shape).index_add_(0, self.dst, edge_values)

    def softmax(self, logits):
        top = torch.full((self.num_nodes, logits.shape[1]), -torch.inf)
        where = self.dst.unsqueeze(1).expand_as(logits)
        top.scatter_reduce_(0, where, logits.detach(), "amax")
        shifted = logits - top[self.dst]
        weight = shifted.exp_()
        total = self.reduce(weight)
        total += 1e-12
        return weight / total[self.dst]


class GATv2Conv(nn.Module):
    def __init__(self, fin, fout, heads):
        super().__init__()
        self.h, self.f = heads, fout
        self.left = nn.Linear(fin, heads * fout)
        self.right = nn.Linear(fin, heads * fout)
        self.att = nn.Parameter(torch.randn(heads, fout) * fout**-0.5)

    def forward(self, g: Graph, x):
        l = self.left(x).view(-1, self.h, self.f)
        r = self.right(x).view(-1, self.h, self.f)
        pair = l[g.src]
        pair += r[g.dst]
        pair = F.leaky_relu_(pair, 0.2)
        a = g.softmax((pair * self.att).sum(-1))
        return g.reduce(l[g.src] * a.unsqueeze(-1))


class Net(nn.Module):
    def __init__(self, fin, hid, out, heads=3, drop=0.3):
        super().__init__()
        self.c1 = GATv2Conv(fin, hid, heads)
        self.c2 = GATv2Conv(hid * heads, out, heads)
        self.drop = drop

    def forward(self, g, x):
        x = F.dropout(x, self.drop, self.training)
        x = self.c1(g, x).flatten(1)
        x = F.elu_(x)
        return self.c2(g, x).mean(1)


def fit(net, g, x, y, idx, epochs):
    opt = torch.optim.Adam(net.parameters(), 0.01)
    best = float("inf")
    for _ in range(epochs):
        opt.zero_grad()
        loss = F.nll_loss(net(g, x).log_softmax(-1)[idx], y[idx])
        loss.backward()
        opt.step()
        best = min(best, loss.item())
    return best


# --- driver ---
torch.manual_seed(6)
graph = Graph.erdos(25, 0.12)
print(fit(Net(7, 5, 3), graph, torch.randn(25, 7), torch.randint(0, 3, (25,)), torch.arange(15), 5))
