from functools import lru_cache

import torch
import torch.nn as nn


class Bands:
    """Index helpers, no state."""

    @staticmethod
    @lru_cache(maxsize=32)
    def allowed(n, radius, n_global, causal):
        i = torch.arange(n)
        delta = i.view(-1, 1) - i.view(1, -1)
        ok = delta.abs() <= radius
        if n_global:
            ok[:, :n_global] = True
            ok[:n_global, :] = True
        if causal:
            ok &= delta >= 0
        return ok


class BandedAttention(nn.Module):
    radius = 3
    n_global = 1

    def __init__(self, d_model, n_head, causal=False):
        super().__init__()
        self.n_head, self.causal = n_head, causal
        for name in ("wq", "wk", "wv", "wo"):
            self.register_module(name, nn.Linear(d_model, d_model, bias=name == "wo"))

    @staticmethod
    def score(q, k):
        return torch.einsum("nqhd,nkhd->nhqk", [q, k]) / (q.shape[-1] ** (1 / 2))

    @staticmethod
    def mix(p, v):
        return torch.einsum("nhql,nlhd->nqhd", [p, v])

    @classmethod
    def configure(cls, **kw):
        return type(cls.__name__, (cls,), kw)

    def forward(self, x):
        N, L, E = x.shape
        q, k, v = (getattr(self, w)(x).reshape(N, L, self.n_head, E // self.n_head) for w in ("wq", "wk", "wv"))
        energy = self.score(q, k)
        ok = Bands.allowed(L, self.radius, self.n_global, self.causal)
        energy = energy.masked_fill(ok == 0, float("-1e20"))
        attention = torch.softmax(energy, dim=3)  # ATTN
        out = self.mix(attention, v).reshape(N, L, E)
        return self.wo(out)


class ReversibleStack(nn.Module):
    """x1, x2 coupling with attention in one branch and a gated conv in the other."""

    def __init__(self, dim, heads, depth, causal):
        super().__init__()
        wide = BandedAttention.configure(radius=5, n_global=0)
        kinds = [BandedAttention if i % 2 == 0 else wide for i in range(depth)]
        self.f = nn.ModuleList(k(dim, heads, causal) for k in kinds)
        self.g = nn.ModuleList(nn.Conv1d(dim, 2 * dim, 1) for _ in range(depth))

    def forward(self, x):
        x1 = x2 = x
        for f, g in zip(self.f, self.g):
            x1 = x1 + f(x2)
            x2 = x2 + nn.functional.glu(g(x1.mT), dim=1).mT
        return x1 + x2


# --- driver ---
torch.manual_seed(42)
RESULTS = []
for L, causal in ((14, False), (10, True)):
    net = ReversibleStack(12, 3, 2, causal).double().eval()
    x = torch.randn(2, L, 12, dtype=torch.float64, requires_grad=True)
    y = net(x)
    y.arctan().pow(2).sum().backward()
    RESULTS += [y.detach(), x.grad, *(p.grad for p in net.parameters())]
