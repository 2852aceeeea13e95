"""Conformer encoder with relative positions, SpecAugment on the input features and a CTC objective."""
import math
from typing import Tuple

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import Tensor


class SpecAugment:
    def __init__(self, freq: int = 3, time: int = 5, masks: int = 2):
        self.freq, self.time, self.masks = freq, time, masks

    def __call__(self, feats: Tensor, lengths: Tensor) -> Tensor:
        feats = feats.clone()
        fill = feats.mean(dim=(1, 2))
        for i, n in enumerate(lengths.tolist()):
            for _ in range(self.masks):
                f0 = int(torch.randint(0, feats.shape[2] - self.freq, ()))
                t0 = int(torch.randint(0, max(1, n - self.time), ()))
                feats[i, :, f0:f0 + self.freq] = fill[i]
                feats[i, t0:t0 + self.time] = fill[i]
        return feats


class RelativeAttention(nn.Module):
    def __init__(self, dim: int, heads: int, span: int = 8):
        super().__init__()
        self.h, self.span = heads, span
        self.qkv, self.out = nn.Linear(dim, 3 * dim), nn.Linear(dim, dim)
        self.bias = nn.Embedding(2 * span + 1, heads)

    def forward(self, x: Tensor, pad: Tensor) -> Tensor:
        b, t, d = x.shape
        q, k, v = self.qkv(x).view(b, t, 3, self.h, d // self.h).permute(2, 0, 3, 1, 4)
        pos = torch.arange(t)
        offset = (pos[:, None] - pos).clamp_(-self.span, self.span).add_(self.span)
        scores = torch.matmul(q, k.transpose(-1, -2))
        scores *= (d // self.h) ** -0.5
        scores += self.bias(offset).permute(2, 0, 1)
        scores.masked_fill_(pad[:, None, None], torch.finfo(scores.dtype).min)
        return self.out((scores.softmax(-1) @ v).transpose(1, 2).reshape(b, t, d))


class ConvModule(nn.Module):
    def __init__(self, dim: int, kernel: int = 7):
        super().__init__()
        self.norm = nn.LayerNorm(dim)
        self.up, self.down = nn.Conv1d(dim, 2 * dim, 1), nn.Conv1d(dim, dim, 1)
        self.depth = nn.Conv1d(dim, dim, kernel, padding=kernel // 2, groups=dim)
        self.bn = nn.BatchNorm1d(dim)

    def forward(self, x: Tensor, pad: Tensor) -> Tensor:
        y = F.glu(self.up(self.norm(x).transpose(1, 2)), dim=1)
        y = y.masked_fill(pad.unsqueeze(1), 0.0)
        return self.down(F.silu(self.bn(self.depth(y)))).transpose(1, 2)


def feed_forward(dim: int) -> nn.Sequential:
    return nn.Sequential(nn.LayerNorm(dim), nn.Linear(dim, 2 * dim), nn.SiLU(), nn.Dropout(0.1), nn.Linear(2 * dim, dim))


class ConformerBlock(nn.Module):
    def __init__(self, dim: int, heads: int = 2):
        super().__init__()
        self.ff1, self.ff2 = feed_forward(dim), feed_forward(dim)
        self.norm, self.attn, self.conv = nn.LayerNorm(dim), RelativeAttention(dim, heads), ConvModule(dim)
        self.final = nn.LayerNorm(dim)

    def forward(self, x: Tensor, pad: Tensor) -> Tensor:
        x = x + 0.5 * self.ff1(x)
        x = x + self.attn(self.norm(x), pad)
        x = x + self.conv(x, pad)
        return self.final(x + 0.5 * self.ff2(x))


class Conformer(nn.Module):
    def __init__(self, bands: int, tokens: int, dim: int = 16, depth: int = 2):
        super().__init__()
        self.sub = nn.Conv1d(bands, dim, 3, stride=2, padding=1)
        self.blocks = nn.ModuleList(ConformerBlock(dim) for _ in range(depth))
        self.out = nn.Linear(dim, tokens + 1)
        self.augment = SpecAugment()

    def forward(self, feats: Tensor, lengths: Tensor) -> Tuple[Tensor, Tensor]:
        if self.training:
            feats = self.augment(feats, lengths)
        x = self.sub(feats.transpose(1, 2)).relu_().transpose(1, 2)
        lengths = (lengths + 1) // 2
        pad = torch.arange(x.shape[1]) >= lengths[:, None]
        for block in self.blocks:
            x = block(x, pad)
        logits = self.out(x)
        logits[..., 0] -= math.log(2)
        return logits.log_softmax(-1), lengths


class NoamSchedule:
    def __init__(self, opt, dim: int, warmup: int):
        self.opt, self.dim, self.warmup, self.n = opt, dim, warmup, 0

    def step(self):
        self.n += 1
        lr = self.dim ** -0.5 * min(self.n ** -0.5, self.n * self.warmup ** -1.5)
        for g in self.opt.param_groups:
            g["lr"] = 0.1 * lr
        self.opt.step()


# --- driver ---
torch.manual_seed(52)
model = Conformer(bands=10, tokens=6)
sched = NoamSchedule(torch.optim.Adam(model.parameters(), betas=(0.9, 0.98)), 16, 10)
for _ in range(3):
    n = torch.tensor([32, 28, 24])
    logp, out_n = model(torch.randn(3, 32, 10), n)
    loss = F.ctc_loss(logp.transpose(0, 1), torch.randint(1, 7, (3, 4)), out_n, torch.full((3,), 4))
    sched.opt.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 5.0)
    sched.step()
