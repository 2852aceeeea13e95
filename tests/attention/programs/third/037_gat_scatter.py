"""Graph attention over an edge list: segment softmax with scatter, messages summed by index_add."""
import torch
import torch.nn.functional as F
from torch import nn


def scatter_sum(src, index, n):
    return src.new_zeros(n, *src.shape[1:]).index_add(0, index, src)


def scatter_softmax(scores, index, n):
    idx = index.view(-1, 1).expand_as(scores)
    top = scores.new_full((n, scores.size(1)), float("-inf")).scatter_reduce(0, idx, scores.detach(), "amax")
    e = (scores - top[index]).exp()
    return e / scatter_sum(e, index, n)[index].clamp_min(1e-12)  # NOT


class TransformerConv(nn.Module):
    """q_dst . k_src / sqrt(d) on every edge."""

    def __init__(self, in_dim, out_dim, heads):
        super().__init__()
        self.heads, self.out_dim = heads, out_dim
        self.lin_q = nn.Linear(in_dim, heads * out_dim)
        self.lin_k = nn.Linear(in_dim, heads * out_dim)
        self.lin_v = nn.Linear(in_dim, heads * out_dim)
        self.skip = nn.Linear(in_dim, heads * out_dim)

    def forward(self, x, edge_index):
        src, dst = edge_index
        n = x.size(0)
        q = self.lin_q(x).view(n, self.heads, self.out_dim)[dst]
        k = self.lin_k(x).view(n, self.heads, self.out_dim)[src]
        v = self.lin_v(x).view(n, self.heads, self.out_dim)[src]
        alpha = (q * k).sum(dim=-1) / self.out_dim ** 0.5
        alpha = scatter_softmax(alpha, dst, n)
        out = scatter_sum(alpha.unsqueeze(-1) * v, dst, n)
        return out.flatten(1) + self.skip(x)


class GATConv(nn.Module):
    def __init__(self, in_dim, out_dim):
        super().__init__()
        self.lin = nn.Linear(in_dim, out_dim, bias=False)
        self.a_src, self.a_dst = nn.Parameter(torch.randn(out_dim)), nn.Parameter(torch.randn(out_dim))

    def forward(self, x, edge_index):
        h = self.lin(x)
        src, dst = edge_index
        e = F.leaky_relu(h[src] @ self.a_src + h[dst] @ self.a_dst, 0.2).unsqueeze(-1)
        att = scatter_softmax(e, dst, x.size(0))
        return scatter_sum(att * h[src], dst, x.size(0))


class GNN(nn.Module):
    def __init__(self):
        super().__init__()
        self.c1, self.c2 = TransformerConv(5, 4, 2), GATConv(8, 3)

    def forward(self, x, edge_index):
        return self.c2(F.elu(self.c1(x, edge_index)), edge_index)


# --- driver ---
def main():
    torch.manual_seed(0)
    net = GNN().eval()
    x = torch.randn(6, 5, requires_grad=True)
    edges = torch.tensor([[0, 1, 2, 3, 4, 5, 0, 2, 5, 1], [1, 2, 3, 4, 5, 0, 2, 5, 3, 4]])
    y = net(x, edges)
    F.cross_entropy(y, torch.tensor([0, 1, 2, 0, 1, 2])).backward()
    return [y, x.grad] + [p.grad for p in net.parameters()]


torch.set_default_dtype(torch.float64)
try:
    RESULTS = [one.detach() for one in main()]
finally:
    torch.set_default_dtype(torch.float32)
