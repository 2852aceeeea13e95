"""Transformer encoder with thresholded attention weights for sequence tagging."""
import math
from dataclasses import dataclass
from typing import Optional

import torch
import torch.nn as nn
import torch.nn.functional as F


@dataclass
class EncoderConfig:
    vocab: int = 50
    dim: int = 32
    heads: int = 4
    layers: int = 2
    tags: int = 6
    threshold: float = 0.05
    pad_id: int = 0


class ThresholdAttention(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.h, self.d = cfg.heads, cfg.dim // cfg.heads
        self.qkv = nn.Linear(cfg.dim, cfg.dim * 3)
        self.proj = nn.Linear(cfg.dim, cfg.dim)
        self.threshold = cfg.threshold

    def forward(self, x, pad_mask: Optional[torch.Tensor] = None):
        b, t, _ = x.shape
        q, k, v = self.qkv(x).view(b, t, 3, self.h, self.d).permute(2, 0, 3, 1, 4)
        scores = q @ k.transpose(-2, -1) / math.sqrt(self.d)
        if pad_mask is not None:
            scores = scores.masked_fill(pad_mask[:, None, None, :], -1e4)
        attn = F.softmax(scores, dim=-1)
        attn.masked_fill_(attn < self.threshold, 0.0)  # BUG
        attn = attn / (attn.sum(-1, keepdim=True) + 1e-6)
        out = (attn @ v).transpose(1, 2).reshape(b, t, -1)
        return self.proj(out)


class EncoderLayer(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.attn = ThresholdAttention(cfg)
        self.ln1 = nn.LayerNorm(cfg.dim)
        self.ln2 = nn.LayerNorm(cfg.dim)
        self.ff = nn.Sequential(
            nn.Linear(cfg.dim, cfg.dim * 2), nn.ReLU(inplace=True), nn.Linear(cfg.dim * 2, cfg.dim)
        )

    def forward(self, x, pad_mask):
        x = x + self.attn(self.ln1(x), pad_mask)
        return x + self.ff(self.ln2(x))


class Tagger(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.cfg = cfg
        self.emb = nn.Embedding(cfg.vocab, cfg.dim, padding_idx=cfg.pad_id)
        self.register_buffer("pos", self._sinusoid(64, cfg.dim))
        self.layers = nn.ModuleList(EncoderLayer(cfg) for _ in range(cfg.layers))
        self.out = nn.Linear(cfg.dim, cfg.tags)

    @staticmethod
    def _sinusoid(n, d):
        pos = torch.arange(n).float()[:, None]
        div = torch.exp(torch.arange(0, d, 2).float() * (-math.log(10000.0) / d))
        pe = torch.zeros(n, d)
        pe[:, 0::2] = torch.sin(pos * div)
        pe[:, 1::2] = torch.cos(pos * div)
        return pe

    def forward(self, ids):
        pad = ids == self.cfg.pad_id
        x = self.emb(ids) + self.pos[: ids.size(1)]
        for layer in self.layers:
            x = layer(x, pad)
        return self.out(x)


def step(model, ids, tags, opt):
    logits = model(ids)
    loss = F.cross_entropy(logits.transpose(1, 2), tags, ignore_index=-100)
    opt.zero_grad()
    loss.backward()
    opt.step()
    return loss.detach()


# --- driver ---
torch.manual_seed(0)
cfg = EncoderConfig()
model = Tagger(cfg)
ids = torch.randint(1, cfg.vocab, (2, 10))
ids[0, 7:] = 0
step(model, ids, torch.randint(0, cfg.tags, (2, 10)), torch.optim.AdamW(model.parameters()))
