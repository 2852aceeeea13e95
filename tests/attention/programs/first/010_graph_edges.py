import torch
import torch.nn as nn
import torch.nn.functional as F


def scatter_max(src, index, n):
    out = src.new_full((n,) + src.shape[1:], float("-inf"))
    idx = index.view(-1, *[1] * (src.dim() - 1)).expand_as(src)
    return out.scatter_reduce(0, idx, src, reduce="amax", include_self=True)


def edge_softmax(src, index, n):
    """Normalise ``src`` over all entries that share an ``index``."""
    peak = scatter_max(src.detach(), index, n)
    out = (src - peak[index]).exp()
    denom = torch.zeros((n,) + src.shape[1:], dtype=src.dtype).index_add(0, index, out)
    return out / (denom[index] + 1e-16)


class GraphTransformerConv(nn.Module):
    """Message passing with query/key/value projections on edges."""

    def __init__(self, in_dim, out_dim, heads=2, edge_dim=None, dropout=0.0):
        super().__init__()
        self.heads, self.out_dim, self.dropout = heads, out_dim, dropout
        self.lin_key = nn.Linear(in_dim, heads * out_dim)
        self.lin_query = nn.Linear(in_dim, heads * out_dim)
        self.lin_value = nn.Linear(in_dim, heads * out_dim)
        self.lin_edge = nn.Linear(edge_dim, heads * out_dim, bias=False) if edge_dim else None
        self.lin_skip = nn.Linear(in_dim, heads * out_dim)

    def forward(self, x, edge_index, edge_attr=None):
        H, C = self.heads, self.out_dim
        n = x.size(0)
        src, dst = edge_index
        q = self.lin_query(x).view(-1, H, C)[dst]
        k = self.lin_key(x).view(-1, H, C)[src]
        v = self.lin_value(x).view(-1, H, C)[src]
        if self.lin_edge is not None and edge_attr is not None:
            e = self.lin_edge(edge_attr).view(-1, H, C)
            k = k + e
            v = v + e
        alpha = (q * k).sum(dim=-1) / C ** 0.5
        alpha = edge_softmax(alpha, dst, n)  # NOT
        alpha = F.dropout(alpha, p=self.dropout, training=self.training)
        msg = v * alpha.unsqueeze(-1)
        out = torch.zeros(n, H, C, dtype=x.dtype).index_add(0, dst, msg)
        return out.flatten(1) + self.lin_skip(x)


class NodeClassifier(nn.Module):
    def __init__(self, in_dim, hidden, classes, edge_dim):
        super().__init__()
        self.conv1 = GraphTransformerConv(in_dim, hidden, heads=3, edge_dim=edge_dim, dropout=0.2)
        self.conv2 = GraphTransformerConv(3 * hidden, classes, heads=1, edge_dim=edge_dim)

    def forward(self, x, edge_index, edge_attr=None):
        x = F.elu(self.conv1(x, edge_index, edge_attr))
        return self.conv2(x, edge_index, edge_attr)


# --- driver ---
torch.manual_seed(10)
model = NodeClassifier(6, 5, 4, 3).double().eval()
RESULTS = []
for n_nodes, n_edges, attr in [(8, 25, True), (12, 40, False)]:
    model.zero_grad(set_to_none=True)
    x = torch.randn(n_nodes, 6, dtype=torch.float64, requires_grad=True)
    ei = torch.randint(0, n_nodes, (2, n_edges))
    ea = torch.randn(n_edges, 3, dtype=torch.float64) if attr else None
    out = model(x, ei, ea)
    out.log_softmax(-1).pow(2).sum().backward()
    RESULTS.append(out.detach())
    RESULTS.append(x.grad)
    RESULTS += [p.grad for p in model.parameters() if p.grad is not None]
