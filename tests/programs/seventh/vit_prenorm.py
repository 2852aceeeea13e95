from dataclasses import dataclass
from functools import partial

import torch
import torch.nn as nn


@dataclass
class ViTConfig:
    image: int = 8
    patch: int = 4
    dim: int = 16
    depth: int = 2
    heads: int = 2
    mlp_ratio: float = 2.0
    classes: int = 4
    drop_path: float = 0.1


class DropPath(nn.Module):
    def __init__(self, p):
        super().__init__()
        self.p = p

    def forward(self, x):
        if not self.training or self.p == 0:
            return x
        keep = 1 - self.p
        mask = x.new_empty((x.size(0),) + (1,) * (x.dim() - 1)).bernoulli_(keep).div_(keep)
        return x * mask


class PatchEmbed(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.proj = nn.Conv2d(3, cfg.dim, cfg.patch, cfg.patch)
        n = (cfg.image // cfg.patch) ** 2
        self.cls = nn.Parameter(torch.zeros(1, 1, cfg.dim))
        self.pos = nn.Parameter(torch.zeros(1, n + 1, cfg.dim))
        nn.init.trunc_normal_(self.pos, std=0.02)

    def forward(self, img):
        x = self.proj(img).flatten(2).transpose(1, 2)
        x = torch.cat([self.cls.expand(x.size(0), -1, -1), x], dim=1)
        x += self.pos
        return x


class Mlp(nn.Sequential):
    def __init__(self, dim, hidden):
        super().__init__(nn.Linear(dim, hidden), nn.GELU(), nn.Linear(hidden, dim))


class Block(nn.Module):
    def __init__(self, cfg, norm=partial(nn.LayerNorm, eps=1e-6)):
        super().__init__()
        self.norm1, self.norm2 = norm(cfg.dim), norm(cfg.dim)
        self.attn = nn.MultiheadAttention(cfg.dim, cfg.heads, batch_first=True)
        self.mlp = Mlp(cfg.dim, int(cfg.dim * cfg.mlp_ratio))
        self.drop_path = DropPath(cfg.drop_path)

    def forward(self, x):
        h = self.norm1(x)
        x = x + self.drop_path(self.attn(h, h, h, need_weights=False)[0])
        x += self.drop_path(self.mlp(self.norm2(x)))  # BUG
        return x


class ViT(nn.Module):
    def __init__(self, cfg: ViTConfig):
        super().__init__()
        self.embed = PatchEmbed(cfg)
        self.blocks = nn.ModuleList([Block(cfg) for _ in range(cfg.depth)])
        self.norm = nn.LayerNorm(cfg.dim)
        self.head = nn.Linear(cfg.dim, cfg.classes)

    def forward(self, img):
        x = self.embed(img)
        for blk in self.blocks:
            x = blk(x)
        return self.head(self.norm(x)[:, 0])


def param_groups(model, wd):
    decay = [p for p in model.parameters() if p.ndim > 1]
    rest = [p for p in model.parameters() if p.ndim <= 1]
    return [{"params": decay, "weight_decay": wd}, {"params": rest, "weight_decay": 0.0}]


def mixup(x, y, classes, alpha=0.2):
    lam = float(torch.distributions.Beta(alpha, alpha).sample())
    t = torch.zeros(len(y), classes).scatter_(1, y[:, None], 1.0)
    return x.mul(lam).add_(x.flip(0), alpha=1 - lam), t.mul(lam).add_(t.flip(0), alpha=1 - lam)


def train_one(model, opt, x, y, classes):
    x, t = mixup(x, y, classes)
    loss = torch.sum(-t * model(x).log_softmax(-1), dim=-1).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    return loss.item()


# --- driver ---
torch.manual_seed(0)
cfg = ViTConfig()
vit = ViT(cfg)
optim = torch.optim.AdamW(param_groups(vit, 0.05), lr=1e-3)
train_one(vit, optim, torch.randn(4, 3, 8, 8), torch.randint(4, (4,)), cfg.classes)
