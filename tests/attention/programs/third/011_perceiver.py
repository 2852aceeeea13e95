"""Perceiver-style latents that read a byte array; the softmax is a functools.partial."""
from functools import partial, wraps

import torch
import torch.nn.functional as F
from torch import nn

softmax = partial(F.softmax, dim=-1)


def cache_fn(f):
    cache = {}

    @wraps(f)
    def cached(*args, _cache=True, key=None, **kwargs):
        if not _cache:
            return f(*args, **kwargs)
        if key not in cache:
            cache[key] = f(*args, **kwargs)
        return cache[key]

    return cached


def split_heads(t, h):
    # rearrange(t, 'b n (h d) -> (b h) n d', h=h)
    b, n, hd = t.shape
    return t.view(b, n, h, hd // h).permute(0, 2, 1, 3).reshape(b * h, n, hd // h)


def merge_heads(t, h):
    # rearrange(t, '(b h) n d -> b n (h d)', h=h)
    bh, n, d = t.shape
    return t.view(bh // h, h, n, d).permute(0, 2, 1, 3).reshape(bh // h, n, h * d)


class PreNorm(nn.Module):
    def __init__(self, dim, fn, context_dim=None):
        super().__init__()
        self.fn = fn
        self.norm = nn.LayerNorm(dim)
        self.norm_context = nn.LayerNorm(context_dim) if context_dim is not None else None

    def forward(self, x, **kwargs):
        x = self.norm(x)
        if self.norm_context is not None:
            kwargs.update(context=self.norm_context(kwargs["context"]))
        return self.fn(x, **kwargs)


class Attention(nn.Module):
    def __init__(self, query_dim, context_dim=None, heads=2, dim_head=6):
        super().__init__()
        inner_dim = dim_head * heads
        context_dim = query_dim if context_dim is None else context_dim
        self.scale = dim_head ** -0.5
        self.heads = heads
        self.to_q = nn.Linear(query_dim, inner_dim, bias=False)
        self.to_kv = nn.Linear(context_dim, inner_dim * 2, bias=False)
        self.to_out = nn.Linear(inner_dim, query_dim)

    def forward(self, x, context=None, mask=None):
        h = self.heads
        q = self.to_q(x)
        k, v = self.to_kv(x if context is None else context).chunk(2, dim=-1)
        q, k, v = (split_heads(t, h) for t in (q, k, v))
        sim = torch.einsum("b i d, b j d -> b i j", q, k) * self.scale
        if mask is not None:
            mask = mask.flatten(1)
            mask = mask.repeat_interleave(h, dim=0)[:, None, :]
            sim.masked_fill_(~mask, -torch.finfo(sim.dtype).max)
        # attention, what we cannot get enough of
        attn = softmax(sim)  # ATTN
        out = torch.einsum("b i j, b j d -> b i d", attn, v)
        return self.to_out(merge_heads(out, h))


class Perceiver(nn.Module):
    def __init__(self, depth=2, num_latents=4, latent_dim=12, input_dim=10, tie=True):
        super().__init__()
        self.latents = nn.Parameter(torch.randn(num_latents, latent_dim))
        get_cross = cache_fn(lambda: PreNorm(latent_dim, Attention(latent_dim, input_dim), context_dim=input_dim))
        get_self = cache_fn(lambda: PreNorm(latent_dim, Attention(latent_dim)))
        self.layers = nn.ModuleList([])
        for i in range(depth):
            cached = dict(_cache=tie and i > 0)
            self.layers.append(nn.ModuleList([get_cross(**cached), get_self(**cached)]))
        self.to_logits = nn.Linear(latent_dim, 4)

    def forward(self, data, mask=None):
        x = self.latents.expand(data.shape[0], -1, -1)
        for cross, self_attn in self.layers:
            x = cross(x, context=data, mask=mask) + x
            x = self_attn(x) + x
        return self.to_logits(x.mean(dim=-2))


# --- driver ---
def main():
    torch.manual_seed(0)
    model = Perceiver().eval()
    data = torch.randn(3, 9, 10, requires_grad=True)
    mask = torch.rand(3, 9) > 0.3
    mask[:, 0] = True
    y = model(data, mask=mask)
    F.cross_entropy(y, torch.tensor([0, 1, 3])).backward()
    return [y, data.grad] + [p.grad for p in model.parameters()]


torch.set_default_dtype(torch.float64)
try:
    RESULTS = [one.detach() for one in main()]
finally:
    torch.set_default_dtype(torch.float32)
