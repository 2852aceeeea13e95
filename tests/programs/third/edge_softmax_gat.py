import torch
import torch.nn as nn
import torch.nn.functional as F


def add_self_loops(edge_index, n):
    loops = torch.arange(n).repeat(2, 1)
    return torch.cat([edge_index, loops], 1)


def segment_sum(src, index, n):
    out = src.new_zeros((n,) + src.shape[1:])
    return out.index_add_(0, index, src)


def segment_max(src, index, n):
    out = src.new_full((n,) + src.shape[1:], float("-inf"))
    idx = index.view(-1, *[1] * (src.dim() - 1)).expand_as(src)
    return out.scatter_reduce(0, idx, src, reduce="amax", include_self=True)


def edge_softmax(score, dst, n):
    with torch.no_grad():
        peak = segment_max(score, dst, n)
    e = torch.exp(score - peak[dst])
    z = segment_sum(e, dst, n)
    e.div_(z[dst] + 1e-16)  # BUG
    return e


class GATLayer(nn.Module):
    def __init__(self, fin, fout, heads, concat=True, slope=0.2):
        super().__init__()
        self.heads, self.fout, self.concat, self.slope = heads, fout, concat, slope
        self.lin = nn.Linear(fin, heads * fout, bias=False)
        self.att_src = nn.Parameter(torch.empty(heads, fout))
        self.att_dst = nn.Parameter(torch.empty(heads, fout))
        self.bias = nn.Parameter(torch.zeros(heads * fout if concat else fout))
        self.reset_parameters()

    def reset_parameters(self):
        for w in (self.lin.weight, self.att_src, self.att_dst):
            nn.init.xavier_uniform_(w)

    def forward(self, x, edge_index):
        n = x.shape[0]
        src, dst = edge_index
        h = self.lin(x).view(n, self.heads, self.fout)
        a = (h * self.att_src).sum(-1)[src] + (h * self.att_dst).sum(-1)[dst]
        alpha = edge_softmax(F.leaky_relu(a, self.slope), dst, n)
        out = segment_sum(h[src] * alpha.unsqueeze(-1), dst, n)
        out = out.flatten(1) if self.concat else out.mean(1)
        return out + self.bias


class NodeClassifier(nn.Module):
    def __init__(self, fin, hidden, classes, heads=2, dropout=0.1):
        super().__init__()
        self.g1 = GATLayer(fin, hidden, heads)
        self.g2 = GATLayer(hidden * heads, classes, 1, concat=False)
        self.dropout = dropout

    def forward(self, x, edge_index):
        ei = add_self_loops(edge_index, len(x))
        x = F.elu(self.g1(F.dropout(x, self.dropout, self.training), ei))
        return self.g2(F.dropout(x, self.dropout, self.training), ei)


def train_epoch(model, opt, x, ei, y, mask):
    model.train()
    opt.zero_grad()
    loss = F.cross_entropy(model(x, ei)[mask], y[mask])
    loss.backward()
    opt.step()
    return float(loss)


# --- driver ---
torch.manual_seed(20)
x, y = torch.randn(8, 5), torch.randint(0, 3, (8,))
ei = torch.randint(0, 8, (2, 20))
net = NodeClassifier(5, 4, 3)
opt = torch.optim.Adam(net.parameters(), lr=5e-3, weight_decay=5e-4)
train_epoch(net, opt, x, ei, y, torch.rand(8) > 0.2)
