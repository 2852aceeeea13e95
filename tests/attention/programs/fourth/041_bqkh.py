import torch
from torch import nn


class DenseGeneral(nn.Module):
    def __init__(self, in_dim, heads, head_dim):
        super().__init__()
        self.w = nn.Parameter(torch.randn(in_dim, heads, head_dim) * in_dim ** -0.5)
        self.b = nn.Parameter(torch.zeros(heads, head_dim))

    def forward(self, x):
        return torch.einsum("bsi,ihd->bshd", x, self.w) + self.b


class JaxStyleAttention(nn.Module):
    """Ported from a haiku model; logits keep heads as the trailing axis."""

    def __init__(self, dim, heads, key_size):
        super().__init__()
        self.key_size = key_size
        self.q = DenseGeneral(dim, heads, key_size)
        self.k = DenseGeneral(dim, heads, key_size)
        self.v = DenseGeneral(dim, heads, key_size)
        self.final = nn.Linear(heads * key_size, dim)

    def forward(self, query, memory, mask=None):
        q = self.q(query)
        k = self.k(memory)
        v = self.v(memory)
        logits = torch.einsum("bthd,bThd->btTh", q, k) / self.key_size ** 0.5
        if mask is not None:
            logits = torch.where(mask[..., None], logits, torch.full_like(logits, -1e30))
        weights = torch.softmax(logits, dim=2)  # ATTN
        attn = torch.einsum("btTh,bThd->bthd", weights, v)
        return self.final(attn.flatten(-2))


def make():
    torch.manual_seed(27)
    net = JaxStyleAttention(18, 3, 7).eval()
    query = torch.randn(2, 5, 18, requires_grad=True)
    memory = torch.randn(2, 8, 18, requires_grad=True)
    mask = torch.rand(2, 5, 8) > 0.4
    mask[..., 0] = True
    return net, (query, memory, mask)
