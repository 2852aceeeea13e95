"""One abstract layer, several concrete ways to obtain queries, keys and values."""
import abc

import torch
from torch import nn


class BaseAttention(nn.Module, abc.ABC):
    def __init__(self, d_model, n_heads, d_key=None, p=0.0):
        super().__init__()
        self.n_heads = n_heads
        self.d_key = d_key or d_model // n_heads
        self.register_buffer("norm_fact", torch.sqrt(torch.tensor(float(self.d_key))))
        self.p = p
        self.fc = nn.Linear(n_heads * self.d_key, d_model)
        self.build(d_model)

    @abc.abstractmethod
    def build(self, d_model):
        ...

    @abc.abstractmethod
    def qkv(self, x, other):
        ...

    def _heads(self, t):
        return t.reshape(t.size(0), t.size(1), self.n_heads, -1).permute(0, 2, 1, 3)

    def _merge(self, t):
        return t.permute(0, 2, 1, 3).reshape(t.size(0), t.size(2), -1)

    def forward(self, x, other=None, mask=None, return_weights=False):
        q, k, v = map(self._heads, self.qkv(x, other))
        scores = torch.matmul(q, k.permute(0, 1, 3, 2)) / self.norm_fact
        if mask is not None:
            scores = scores.masked_fill(torch.logical_not(mask), torch.finfo(scores.dtype).min)
        weights = torch.nn.functional.softmax(scores, dim=-1)  # ATTN
        weights = torch.nn.functional.dropout(weights, p=self.p, training=self.training)
        out = self.fc(self._merge(torch.matmul(weights, v)))
        if return_weights:
            return out, weights
        return out


class SelfAttn(BaseAttention):
    def build(self, d_model):
        self.joint = nn.Linear(d_model, 3 * self.n_heads * self.d_key)

    def qkv(self, x, other):
        return self.joint(x).chunk(3, -1)


class CrossAttn(BaseAttention):
    def build(self, d_model):
        self.a = nn.Linear(d_model, self.n_heads * self.d_key)
        self.b = nn.Linear(d_model, 2 * self.n_heads * self.d_key)

    def qkv(self, x, other):
        k, v = self.b(other).chunk(2, -1)
        return self.a(x), k, v


class SharedQK(SelfAttn):
    """Keys are the normalised queries."""

    def build(self, d_model):
        self.joint = nn.Linear(d_model, 2 * self.n_heads * self.d_key)

    def qkv(self, x, other):
        q, v = self.joint(x).chunk(2, -1)
        return q, nn.functional.normalize(q, dim=-1), v


class Fusion(nn.Module):
    def __init__(self, dim=16, heads=2):
        super().__init__()
        self.first = SelfAttn(dim, heads, p=0.1)
        self.second = CrossAttn(dim, heads, d_key=5)
        self.third = SharedQK(dim, heads)

    def forward(self, a, b, mask=None):
        a = a + self.first(a)
        a = a + self.second(a, b, mask)
        return a + self.third(a)


# --- driver ---
torch.manual_seed(44)
net = Fusion().double().eval()
RESULTS = []
for n, m, masked in ((7, 10, False), (5, 8, True)):
    net.zero_grad()
    a = torch.randn(2, n, 16, dtype=torch.float64, requires_grad=True)
    b = torch.randn(2, m, 16, dtype=torch.float64, requires_grad=True)
    mask = None
    if masked:
        mask = torch.ones(2, 1, n, m, dtype=torch.bool)
        mask[0, :, :, 5:] = False
        mask[1, :, 3] = False  # one query of the second sample sees nothing
    y = net(a, b, mask)
    (y / (1 + y.abs())).sum().backward()
    RESULTS += [y.detach(), a.grad, b.grad] + [p.grad.clone() for p in net.parameters()]
