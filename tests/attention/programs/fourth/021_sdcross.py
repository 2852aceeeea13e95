import torch
from torch import nn, einsum


def exists(val):
    return val is not None


def default(val, d):
    return val if exists(val) else d


class CrossAttention(nn.Module):
    def __init__(self, query_dim, context_dim=None, heads=8, dim_head=64, dropout=0.):
        super().__init__()
        inner_dim = dim_head * heads
        context_dim = default(context_dim, query_dim)
        self.scale = dim_head ** -0.5
        self.heads = heads
        self.to_q = nn.Linear(query_dim, inner_dim, bias=False)
        self.to_k = nn.Linear(context_dim, inner_dim, bias=False)
        self.to_v = nn.Linear(context_dim, inner_dim, bias=False)
        self.to_out = nn.Sequential(nn.Linear(inner_dim, query_dim), nn.Dropout(dropout))

    def fold(self, t):
        b, n, c = t.shape
        return t.view(b, n, self.heads, c // self.heads).permute(0, 2, 1, 3).reshape(b * self.heads, n, -1)

    def unfold(self, t):
        bh, n, d = t.shape
        return t.view(bh // self.heads, self.heads, n, d).permute(0, 2, 1, 3).reshape(bh // self.heads, n, -1)

    def forward(self, x, context=None, mask=None):
        h = self.heads
        context = default(context, x)
        q, k, v = map(self.fold, (self.to_q(x), self.to_k(context), self.to_v(context)))

        sim = einsum('b i d, b j d -> b i j', q, k) * self.scale

        if exists(mask):
            mask = mask.reshape(mask.shape[0], -1)
            max_neg_value = -torch.finfo(sim.dtype).max
            mask = mask.repeat_interleave(h, dim=0)[:, None, :]
            sim.masked_fill_(~mask, max_neg_value)

        attn = sim.softmax(dim=-1)  # ATTN
        out = einsum('b i j, b j d -> b i d', attn, v)
        return self.to_out(self.unfold(out))


def make():
    torch.manual_seed(77)
    net = CrossAttention(20, context_dim=12, heads=4, dim_head=6).eval()
    x = torch.randn(2, 9, 20, requires_grad=True)
    ctx = torch.randn(2, 5, 12, requires_grad=True)
    mask = torch.tensor([[True] * 5, [True, True, False, True, False]])
    return net, (x, ctx, mask)
