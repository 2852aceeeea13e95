import torch
import torch.nn as nn
import torch.nn.functional as F


class Graph:
    __slots__ = ("x", "edge_index", "y", "train_mask")

    def __init__(self, x, edge_index, y, train_mask):
        self.x, self.edge_index, self.y, self.train_mask = x, edge_index, y, train_mask

    @property
    def num_nodes(self):
        return self.x.size(0)

    @classmethod
    def random(cls, n=12, f=6, c=3, e=40):
        src, dst = torch.randint(n, (2, e)).unbind(0)
        loops = torch.arange(n)
        ei = torch.stack([torch.cat([src, loops]), torch.cat([dst, loops])])
        mask = torch.zeros(n, dtype=torch.bool)
        mask[: n // 2] = True
        return cls(torch.randn(n, f), ei, torch.randint(c, (n,)), mask)


def segment_softmax(src, index, num_nodes):
    top = torch.full((num_nodes, src.size(1)), float("-inf"))
    top.scatter_reduce_(0, index[:, None].expand_as(src), src.detach(), reduce="amax")
    out = (src - top[index]).exp()
    norm = torch.zeros(num_nodes, src.size(1)).index_add_(0, index, out)
    out /= norm[index] + 1e-16  # BUG
    return out


class MessagePassing(nn.Module):
    def propagate(self, edge_index, x, **kw):
        src, dst = edge_index
        msg = self.message(x[src], **kw)
        return torch.zeros_like(x).index_add_(0, dst, msg)

    def message(self, x_j, **kw):
        raise NotImplementedError


class GATConv(MessagePassing):
    def __init__(self, in_dim, out_dim, heads=2, slope=0.2):
        super().__init__()
        self.heads, self.out_dim, self.slope = heads, out_dim, slope
        self.lin = nn.Linear(in_dim, heads * out_dim, bias=False)
        self.att_src = nn.Parameter(torch.empty(1, heads, out_dim))
        self.att_dst = nn.Parameter(torch.empty(1, heads, out_dim))
        nn.init.xavier_uniform_(self.att_src)
        nn.init.xavier_uniform_(self.att_dst)

    def forward(self, x, edge_index):
        n = x.size(0)
        h = self.lin(x).view(n, self.heads, self.out_dim)
        a_src, a_dst = (h * self.att_src).sum(-1), (h * self.att_dst).sum(-1)
        e = a_src[edge_index[0]] + a_dst[edge_index[1]]
        alpha = segment_softmax(F.leaky_relu(e, self.slope), edge_index[1], n)
        return self.propagate(edge_index, h, alpha=alpha).flatten(1)

    def message(self, x_j, alpha):
        return x_j * alpha.unsqueeze(-1)


class GAT(nn.Module):
    def __init__(self, f, hidden, c):
        super().__init__()
        self.conv1 = GATConv(f, hidden, heads=2)
        self.conv2 = GATConv(2 * hidden, c, heads=1)

    def forward(self, g):
        x = F.elu(self.conv1(F.dropout(g.x, 0.3, self.training), g.edge_index))
        return self.conv2(F.dropout(x, 0.3, self.training), g.edge_index)


def train_epoch(model, g, opt):
    model.train()
    opt.zero_grad()
    loss = F.cross_entropy(model(g)[g.train_mask], g.y[g.train_mask])
    loss.backward()
    opt.step()
    return loss.item()


# --- driver ---
torch.manual_seed(0)
g = Graph.random()
model = GAT(6, 4, 3)
train_epoch(model, g, torch.optim.Adam(model.parameters(), lr=5e-3, weight_decay=5e-4))
