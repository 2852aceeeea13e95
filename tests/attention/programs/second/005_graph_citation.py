import torch
import torch.nn as nn
import torch.nn.functional as F


def segment_softmax(src, index, num_nodes):
    """softmax over groups of edges that share the same target"""
    group_max = torch.full((num_nodes, src.size(1)), float('-inf'), dtype=src.dtype)
    idx = index.unsqueeze(-1).expand_as(src)
    group_max = group_max.scatter_reduce(0, idx, src.detach(), reduce='amax')
    out = (src - group_max[index]).exp()
    denom = torch.zeros(num_nodes, src.size(1), dtype=src.dtype).scatter_add(0, idx, out)
    return out / (denom[index] + 1e-16)  # NOT


class GATLayer(nn.Module):
    def __init__(self, in_dim, out_dim, heads=4, negative_slope=0.2, dropout=0.6, concat=True):
        super().__init__()
        self.heads, self.out_dim, self.concat = heads, out_dim, concat
        self.negative_slope = negative_slope
        self.dropout = dropout
        self.lin_q = nn.Linear(in_dim, heads * out_dim, bias=False)
        self.lin_k = nn.Linear(in_dim, heads * out_dim, bias=False)
        self.lin_v = nn.Linear(in_dim, heads * out_dim, bias=False)
        self.lin_skip = nn.Linear(in_dim, heads * out_dim if concat else out_dim)

    def forward(self, x, edge_index):
        n = x.size(0)
        src, dst = edge_index
        q = self.lin_q(x).view(n, self.heads, self.out_dim)[dst]
        k = self.lin_k(x).view(n, self.heads, self.out_dim)[src]
        v = self.lin_v(x).view(n, self.heads, self.out_dim)[src]

        alpha = (q * k).sum(-1) / self.out_dim ** 0.5
        alpha = F.leaky_relu(alpha, self.negative_slope)
        alpha = segment_softmax(alpha, dst, n)
        alpha = F.dropout(alpha, p=self.dropout, training=self.training)

        msg = v * alpha.unsqueeze(-1)
        out = torch.zeros(n, self.heads, self.out_dim, dtype=x.dtype).index_add(0, dst, msg)
        out = out.flatten(1) if self.concat else out.mean(1)
        return out + self.lin_skip(x)


class CitationNet(nn.Module):
    def __init__(self, feats, hidden, classes):
        super().__init__()
        self.l1 = GATLayer(feats, hidden)
        self.l2 = GATLayer(hidden * 4, classes, heads=2, concat=False)

    def forward(self, x, ei):
        return self.l2(F.elu(self.l1(x, ei)), ei)


# --- driver ---
torch.manual_seed(5)
gnn = CitationNet(11, 5, 3).double().eval()
RESULTS = []
for n, e in ((9, 30), (15, 44)):
    feats = torch.randn(n, 11, dtype=torch.float64, requires_grad=True)
    ei = torch.cat([torch.randint(0, n, (2, e)), torch.arange(n).repeat(2, 1)], dim=1)
    gnn.zero_grad()
    y = gnn(feats, ei)
    F.log_softmax(y, dim=-1)[:, 0].sum().backward()
    RESULTS.append(y.detach())
    RESULTS.append(feats.grad)
    RESULTS.extend(p.grad.clone() for p in gnn.parameters())
