from functools import partial

import torch
from torch import nn
from torch.nn import functional as F


def _mqa(q, k, v, *, scale, dropout_p=0.0, training=False, bias=None):
    # q: B H L D   k, v: B 1 S D shared by every head
    h = q.shape[1]
    k = k.expand(-1, h, -1, -1)
    v = v.expand(-1, h, -1, -1)
    s = torch.einsum("bhld,bhsd->bhls", q, k).mul(scale)
    if bias is not None:
        s = s.add(bias)
    p = F.softmax(s, -1)  # ATTN
    p = F.dropout(p, dropout_p, training)
    return torch.einsum("bhls,bhsd->bhld", p, v)


def make_mixer(dim_head, dropout=0.0):
    """Returns a callable with the static arguments already bound."""
    core = partial(_mqa, scale=1 / dim_head ** 0.5, dropout_p=dropout)

    def mixer(q, k, v, training, bias=None):
        return core(q, k, v, training=training, bias=bias)

    return mixer


class ParallelBlock(nn.Module):
    """Attention and feed-forward computed side by side from one fused projection."""

    def __init__(self, dim, heads, dim_head, ff_mult=2, dropout=0.1):
        super().__init__()
        self.norm = nn.LayerNorm(dim)
        self.heads = heads
        self.fused_dims = (heads * dim_head, dim_head, dim_head, dim * ff_mult * 2)
        self.fused = nn.Linear(dim, sum(self.fused_dims), bias=False)
        self.attn_out = nn.Linear(heads * dim_head, dim, bias=False)
        self.ff_out = nn.Linear(dim * ff_mult, dim, bias=False)
        self.mix = make_mixer(dim_head, dropout)

    def causal_bias(self, n, like):
        return torch.zeros(n, n, dtype=like.dtype).masked_fill(
            torch.ones(n, n, dtype=torch.bool).triu(1), float("-inf")
        )

    def forward(self, x, causal=True):
        n = x.shape[1]
        q, k, v, ff = self.fused(self.norm(x)).split(self.fused_dims, dim=-1)
        q = q.unflatten(-1, (self.heads, -1)).transpose(1, 2)
        bias = self.causal_bias(n, x) if causal else None
        out = self.mix(q, k[:, None], v[:, None], self.training, bias)
        out = out.transpose(1, 2).flatten(2)
        a, g = ff.chunk(2, -1)
        return x + self.attn_out(out) + self.ff_out(a * F.silu(g))


# --- driver ---
torch.manual_seed(28)
net = nn.ModuleList([ParallelBlock(18, 3, 6) for _ in range(2)]).double().eval()
RESULTS = []
for n, causal in ((12, True), (7, False)):
    net.zero_grad()
    x = torch.randn(2, n, 18, dtype=torch.float64, requires_grad=True)
    y = x
    for blk in net:
        y = blk(y, causal)
    F.elu(y).pow(2).sum().backward()
    RESULTS += [y.detach(), x.grad, *(p.grad.clone() for p in net.parameters())]
