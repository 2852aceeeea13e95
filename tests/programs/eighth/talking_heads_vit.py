"""Small vision transformer with talking-heads attention and windowed token dropping."""
from dataclasses import dataclass, field
from typing import Optional

import math
import torch
import torch.nn as nn
import torch.nn.functional as F


@dataclass
class ViTConfig:
    image_size: int = 16
    patch: int = 4
    dim: int = 24
    heads: int = 3
    depth: int = 2
    classes: int = 5
    head_drop: float = 0.25
    mlp_ratio: float = 2.0
    betas: tuple = field(default=(0.9, 0.95))

    @property
    def tokens(self) -> int:
        return (self.image_size // self.patch) ** 2


class PatchEmbed(nn.Module):
    def __init__(self, cfg: ViTConfig):
        super().__init__()
        self.proj = nn.Conv2d(3, cfg.dim, cfg.patch, cfg.patch)
        self.pos = nn.Parameter(torch.zeros(1, cfg.tokens, cfg.dim))
        nn.init.trunc_normal_(self.pos, std=0.02)

    def forward(self, img):
        x = self.proj(img).flatten(2).transpose(1, 2)
        x += self.pos
        return x


class TalkingHeadsAttention(nn.Module):
    def __init__(self, cfg: ViTConfig):
        super().__init__()
        self.h = cfg.heads
        self.scale = (cfg.dim // cfg.heads) ** -0.5
        self.qkv = nn.Linear(cfg.dim, cfg.dim * 3, bias=False)
        self.pre = nn.Conv2d(cfg.heads, cfg.heads, 1, bias=False)
        self.out = nn.Linear(cfg.dim, cfg.dim)
        self.head_drop = cfg.head_drop

    def forward(self, x, keep: Optional[torch.Tensor] = None):
        b, n, d = x.shape
        q, k, v = self.qkv(x).view(b, n, 3, self.h, d // self.h).permute(2, 0, 3, 1, 4)
        scores = torch.matmul(q, k.transpose(-2, -1))
        scores.mul_(self.scale)
        attn = F.softmax(self.pre(scores), dim=-1)
        if keep is not None:
            attn.masked_fill_(~keep[:, None, None, :], 0.0)  # BUG
        y = torch.matmul(attn, v).transpose(1, 2).reshape(b, n, d)
        return self.out(y)


class Block(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        hidden = int(cfg.dim * cfg.mlp_ratio)
        self.n1, self.n2 = nn.LayerNorm(cfg.dim), nn.LayerNorm(cfg.dim)
        self.attn = TalkingHeadsAttention(cfg)
        self.mlp = nn.Sequential(nn.Linear(cfg.dim, hidden), nn.GELU(), nn.Linear(hidden, cfg.dim))

    def forward(self, x, keep=None):
        x = x + self.attn(self.n1(x), keep)
        return x + self.mlp(self.n2(x))


class TalkingViT(nn.Module):
    def __init__(self, cfg: ViTConfig):
        super().__init__()
        self.cfg = cfg
        self.embed = PatchEmbed(cfg)
        self.blocks = nn.ModuleList(Block(cfg) for _ in range(cfg.depth))
        self.head = nn.Sequential(nn.LayerNorm(cfg.dim), nn.Linear(cfg.dim, cfg.classes))

    def sample_keep(self, b, device):
        return torch.rand(b, self.cfg.tokens, device=device) > self.cfg.head_drop

    def forward(self, img):
        x = self.embed(img)
        keep = self.sample_keep(img.size(0), img.device) if self.training else None
        for blk in self.blocks:
            x = blk(x, keep)
        return self.head(x.mean(1))


def cosine_lr(step, total, base):
    return 0.5 * base * (1 + math.cos(math.pi * step / max(total, 1)))


def fit(model, loader, cfg, base_lr=1e-3):
    opt = torch.optim.AdamW(model.parameters(), lr=base_lr, betas=cfg.betas)
    losses = []
    for step, (img, y) in enumerate(loader):
        for g in opt.param_groups:
            g["lr"] = cosine_lr(step, len(loader), base_lr)
        loss = F.cross_entropy(model(img), y, label_smoothing=0.1)
        opt.zero_grad(set_to_none=True)
        loss.backward()
        opt.step()
        losses.append(loss.item())
    return losses


# --- driver ---
torch.manual_seed(0)
cfg = ViTConfig()
batches = [(torch.randn(2, 3, 16, 16), torch.randint(0, 5, (2,))) for _ in range(2)]
print(fit(TalkingViT(cfg).train(), batches, cfg))
