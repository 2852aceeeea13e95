import math

import torch
import torch.nn as nn
import torch.nn.functional as F

BLOCKS = {}


def register(name):
    def deco(cls):
        BLOCKS[name] = cls
        return cls
    return deco


class BaseAttention(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.n_heads = n_heads
        self.d_head = d_model // n_heads
        self.qkv = nn.Linear(d_model, 3 * d_model)
        self.proj = nn.Linear(d_model, d_model)

    def split(self, x):
        b, n, _ = x.shape
        q, k, v = self.qkv(x).view(b, n, 3, self.n_heads, self.d_head).permute(2, 0, 3, 1, 4)
        return q, k, v

    def weights(self, scores):
        raise NotImplementedError

    def forward(self, x, pad_mask=None):
        q, k, v = self.split(x)
        scores = q @ k.transpose(-1, -2) / math.sqrt(self.d_head)
        if pad_mask is not None:
            scores = scores.masked_fill(pad_mask[:, None, None, :], -1e9)
        ctx = self.weights(scores) @ v
        return self.proj(ctx.transpose(1, 2).flatten(2))


@register("dense")
class DenseAttention(BaseAttention):
    def weights(self, scores):
        return F.softmax(scores, dim=-1)


@register("topk")
class TopKAttention(BaseAttention):
    def __init__(self, d_model, n_heads, keep=2):
        super().__init__(d_model, n_heads)
        self.keep = keep

    def weights(self, scores):
        attn = F.softmax(scores, dim=-1)
        kth = attn.topk(self.keep, dim=-1).values[..., -1:]
        attn = attn * (attn >= kth).to(attn.dtype)
        denom = attn.sum(-1, keepdim=True)
        out = attn / denom
        denom.clamp_(min=1e-6)  # BUG
        return out


class EncoderLayer(nn.Module):
    def __init__(self, kind, d_model, n_heads, **kw):
        super().__init__()
        self.attn = BLOCKS[kind](d_model, n_heads, **kw)
        self.n1, self.n2 = nn.LayerNorm(d_model), nn.LayerNorm(d_model)
        self.ff = nn.Sequential(nn.Linear(d_model, 2 * d_model), nn.GELU(), nn.Linear(2 * d_model, d_model))

    def forward(self, x, pad_mask=None):
        x = x + self.attn(self.n1(x), pad_mask)
        return x + self.ff(self.n2(x))


class Classifier(nn.Module):
    def __init__(self, vocab, d_model=16, n_heads=2, kinds=("dense", "topk"), classes=3):
        super().__init__()
        self.tok = nn.Embedding(vocab, d_model, padding_idx=0)
        self.layers = nn.ModuleList(EncoderLayer(k, d_model, n_heads) for k in kinds)
        self.head = nn.Linear(d_model, classes)

    def forward(self, ids):
        pad = ids.eq(0)
        x = self.tok(ids)
        for layer in self.layers:
            x = layer(x, pad)
        x = x.masked_fill(pad[..., None], 0).sum(1) / (~pad).sum(1, keepdim=True)
        return self.head(x)


# --- driver ---
torch.manual_seed(4)
model = Classifier(20)
ids = torch.randint(1, 20, (4, 6))
loss = F.cross_entropy(model(ids), torch.tensor([0, 1, 2, 0]))
loss.backward()
