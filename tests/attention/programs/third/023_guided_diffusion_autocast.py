"""Diffusion UNet attention: scale ** 0.25 on both sides, (N, C, T) tensors, float32 softmax, autocast switched off."""
import functools
import math

import torch as th
import torch.nn as nn


def full_precision(fn):
    """Run fn with autocast off and floating inputs cast to float32, result cast back."""

    @functools.wraps(fn)
    def wrapper(self, qkv, *args, **kwargs):
        dtype = qkv.dtype
        with th.autocast("cpu", enabled=False):
            return fn(self, qkv.float(), *args, **kwargs).to(dtype)

    return wrapper


def normalization(channels):
    return nn.GroupNorm(4, channels)


def zero_module(module, std=0.1):
    for p in module.parameters():
        nn.init.normal_(p, std=std)
    return module


class QKVAttention(nn.Module):
    """A module which performs QKV attention and splits in a different order."""

    def __init__(self, n_heads):
        super().__init__()
        self.n_heads = n_heads

    @full_precision
    def forward(self, qkv):
        bs, width, length = qkv.shape
        assert width % (3 * self.n_heads) == 0
        ch = width // (3 * self.n_heads)
        q, k, v = qkv.chunk(3, dim=1)
        scale = 1 / math.sqrt(math.sqrt(ch))
        weight = th.einsum(
            "bct,bcs->bts",
            (q * scale).view(bs * self.n_heads, ch, length),
            (k * scale).view(bs * self.n_heads, ch, length),
        )  # More stable with f16 than dividing afterwards
        weight = th.softmax(weight.float(), dim=-1).type(weight.dtype)  # ATTN
        a = th.einsum("bts,bcs->bct", weight, v.reshape(bs * self.n_heads, ch, length))
        return a.reshape(bs, -1, length)


class AttentionBlock(nn.Module):
    def __init__(self, channels, num_heads=1, num_head_channels=-1):
        super().__init__()
        self.channels = channels
        self.num_heads = num_heads if num_head_channels == -1 else channels // num_head_channels
        self.norm = normalization(channels)
        self.qkv = nn.Conv1d(channels, channels * 3, 1)
        self.attention = QKVAttention(self.num_heads)
        self.proj_out = zero_module(nn.Conv1d(channels, channels, 1))

    def forward(self, x):
        b, c, *spatial = x.shape
        x = x.reshape(b, c, -1)
        qkv = self.qkv(self.norm(x))
        h = self.attention(qkv)
        h = self.proj_out(h)
        return (x + h).reshape(b, c, *spatial)


class TinyUNet(nn.Module):
    def __init__(self, ch=8):
        super().__init__()
        self.inp = nn.Conv2d(3, ch, 3, padding=1)
        self.down = nn.Conv2d(ch, ch, 3, stride=2, padding=1)
        self.mid = nn.ModuleList([AttentionBlock(ch, num_heads=2), AttentionBlock(ch, num_head_channels=8)])
        self.up = nn.ConvTranspose2d(ch, ch, 2, stride=2)
        self.out = nn.Conv2d(ch, 3, 3, padding=1)

    def forward(self, x):
        skip = self.inp(x)
        h = self.down(nn.functional.silu(skip))
        for block in self.mid:
            h = block(h)
        return self.out(self.up(h) + skip)


# --- driver ---
def main():
    th.manual_seed(0)
    net = TinyUNet().eval()
    x = th.randn(2, 3, 6, 6, requires_grad=True)
    eps = net(x)
    (eps - th.randn_like(eps)).pow(2).mean().backward()
    return [eps, x.grad] + [p.grad for p in net.parameters()]


th.set_default_dtype(th.float64)
try:
    RESULTS = [one.detach() for one in main()]
finally:
    th.set_default_dtype(th.float32)
