"""Latent array that reads a byte array through cross attention."""
from functools import wraps

import torch
from torch import nn, einsum
import torch.nn.functional as F


def exists(val):
    return val is not None


def default(val, d):
    return val if exists(val) else d


def cache_fn(f):
    cache = None

    @wraps(f)
    def cached_fn(*args, _cache=True, **kwargs):
        nonlocal cache
        if not _cache:
            return f(*args, **kwargs)
        if cache is not None:
            return cache
        cache = f(*args, **kwargs)
        return cache
    return cached_fn


class PreNorm(nn.Module):
    def __init__(self, dim, fn, context_dim=None):
        super().__init__()
        self.fn = fn
        self.norm = nn.LayerNorm(dim)
        self.norm_context = nn.LayerNorm(context_dim) if exists(context_dim) else None

    def forward(self, x, **kwargs):
        x = self.norm(x)
        if exists(self.norm_context):
            kwargs.update(context=self.norm_context(kwargs["context"]))
        return self.fn(x, **kwargs)


class GEGLU(nn.Module):
    def forward(self, x):
        x, gates = x.chunk(2, dim=-1)
        return x * F.gelu(gates)


class Attention(nn.Module):
    def __init__(self, query_dim, context_dim=None, heads=8, dim_head=64, dropout=0.0):
        super().__init__()
        inner_dim = dim_head * heads
        context_dim = default(context_dim, query_dim)
        self.scale = dim_head ** -0.5
        self.heads = heads
        self.to_q = nn.Linear(query_dim, inner_dim, bias=False)
        self.to_kv = nn.Linear(context_dim, inner_dim * 2, bias=False)
        self.dropout = nn.Dropout(dropout)
        self.to_out = nn.Linear(inner_dim, query_dim)

    def forward(self, x, context=None, mask=None):
        h = self.heads
        q = self.to_q(x)
        context = default(context, x)
        k, v = self.to_kv(context).chunk(2, dim=-1)

        # b n (h d) -> (b h) n d
        q, k, v = map(lambda t: t.unflatten(-1, (h, -1)).permute(0, 2, 1, 3).flatten(0, 1), (q, k, v))
        sim = einsum("b i d, b j d -> b i j", q, k) * self.scale

        if exists(mask):
            mask = mask.flatten(1)
            max_neg_value = -torch.finfo(sim.dtype).max
            mask = mask.repeat_interleave(h, dim=0)[:, None, :]
            sim.masked_fill_(~mask, max_neg_value)

        # attention, what we cannot get enough of
        attn = sim.softmax(dim=-1)  # ATTN
        attn = self.dropout(attn)
        out = einsum("b i j, b j d -> b i d", attn, v)
        out = out.unflatten(0, (-1, h)).permute(0, 2, 1, 3).flatten(2)
        return self.to_out(out)


class Perceiver(nn.Module):
    def __init__(self, input_dim=7, latent_dim=24, num_latents=6, depth=2, share=True):
        super().__init__()
        self.latents = nn.Parameter(torch.randn(num_latents, latent_dim))
        get_cross = cache_fn(lambda: PreNorm(latent_dim, Attention(latent_dim, input_dim, heads=1, dim_head=12), input_dim))
        get_self = cache_fn(lambda: PreNorm(latent_dim, Attention(latent_dim, heads=3, dim_head=8)))
        get_ff = cache_fn(lambda: PreNorm(latent_dim, nn.Sequential(nn.Linear(latent_dim, 64), GEGLU(), nn.Linear(32, latent_dim))))
        self.layers = nn.ModuleList([])
        for i in range(depth):
            c = share and i > 0
            self.layers.append(nn.ModuleList([get_cross(_cache=c), get_self(_cache=c), get_ff(_cache=c)]))

    def forward(self, data, mask=None):
        x = self.latents[None].expand(data.shape[0], -1, -1)
        for cross, latent, ff in self.layers:
            x = cross(x, context=data, mask=mask) + x
            x = latent(x) + x
            x = ff(x) + x
        return x.mean(dim=1)


# --- driver ---
torch.manual_seed(9)
net = Perceiver().double().eval()
RESULTS = []
for n, m in ((21, None), (14, (torch.arange(14)[None] < torch.tensor([[14], [6]])))):
    net.zero_grad()
    data = torch.randn(2, n, 7, dtype=torch.float64, requires_grad=True)
    y = net(data, mask=m)
    F.softplus(y).sum().backward()
    RESULTS += [y.detach(), data.grad, *[p.grad.clone() for p in net.parameters()]]
