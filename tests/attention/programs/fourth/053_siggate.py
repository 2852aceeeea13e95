import torch
from torch import nn, sigmoid


class GatedTriangle(nn.Module):
    """Attention over atoms; edge features decide how much of each message goes through."""

    def __init__(self, d_node, d_edge, heads):
        super().__init__()
        self.heads = heads
        self.dk = d_node // heads
        self.ln = nn.LayerNorm(d_node)
        self.lin_qkv = nn.Linear(d_node, 3 * d_node, bias=False)
        self.lin_e = nn.Linear(d_edge, heads)
        self.lin_g = nn.Linear(d_edge, heads)
        self.lin_o = nn.Linear(d_node, d_node)

    def forward(self, node, edge, mask):
        b, n, _ = node.shape
        qkv = self.lin_qkv(self.ln(node)).view(b, n, self.heads, 3 * self.dk)
        q, k, v = qkv.chunk(3, dim=-1)
        a = torch.einsum("bihd,bjhd->bijh", q, k) / self.dk ** 0.5
        a = a + self.lin_e(edge)
        a = a + (mask - 1.0)[:, None, :, None] * 1e9
        gates = sigmoid(self.lin_g(edge))
        a = torch.softmax(a, dim=2) * gates  # NOT
        out = torch.einsum("bijh,bjhd->bihd", a, v).reshape(b, n, -1)
        return node + self.lin_o(out)


def make():
    torch.manual_seed(13)
    m = GatedTriangle(18, 6, 3).eval()
    node = torch.randn(2, 6, 18, requires_grad=True)
    edge = torch.randn(2, 6, 6, 6, requires_grad=True)
    mask = torch.ones(2, 6)
    mask[0, 5:] = 0
    return m, (node, edge, mask)
