from functools import partial

import torch
import torch.nn as nn
import torch.nn.functional as F


def pair(x):
    return x if isinstance(x, tuple) else (x, x)


class PatchEmbed(nn.Module):
    def __init__(self, img, patch, in_ch, dim):
        super().__init__()
        (h, w), (ph, pw) = pair(img), pair(patch)
        self.num_patches = (h // ph) * (w // pw)
        self.proj = nn.Conv2d(in_ch, dim, (ph, pw), stride=(ph, pw))

    def forward(self, x):
        return self.proj(x).flatten(2).transpose(1, 2)


class SelfAttention(nn.Module):
    def __init__(self, dim, heads=2, attn_drop=0.1, qkv_bias=True):
        super().__init__()
        self.heads = heads
        self.scale = (dim // heads) ** -0.5
        self.attn_drop = attn_drop
        self.qkv = nn.Linear(dim, 3 * dim, bias=qkv_bias)
        self.proj = nn.Linear(dim, dim)

    def forward(self, x, key_padding=None):
        b, n, d = x.shape
        q, k, v = self.qkv(x).view(b, n, 3, self.heads, d // self.heads).permute(2, 0, 3, 1, 4)
        logits = (q * self.scale) @ k.transpose(-2, -1)
        if key_padding is not None:
            logits.masked_fill_(key_padding[:, None, None], float("-inf"))
        attn = torch.softmax(logits, dim=-1)
        attn = F.dropout(attn, self.attn_drop, self.training, inplace=True)  # BUG
        return self.proj((attn @ v).transpose(1, 2).reshape(b, n, d))


class Mlp(nn.Module):
    def __init__(self, dim, hidden, drop=0.0):
        super().__init__()
        self.fc1, self.fc2 = nn.Linear(dim, hidden), nn.Linear(hidden, dim)
        self.drop = drop

    def forward(self, x):
        x = F.gelu(self.fc1(x))
        x = self.fc2(x)
        return F.dropout(x, self.drop, self.training, inplace=True)


class Layer(nn.Module):
    def __init__(self, dim, norm_layer):
        super().__init__()
        self.n1, self.n2 = norm_layer(dim), norm_layer(dim)
        self.attn, self.mlp = SelfAttention(dim), Mlp(dim, dim * 2, 0.1)

    def forward(self, x):
        x = x + self.attn(self.n1(x))
        return x + self.mlp(self.n2(x))


class ViT(nn.Module):
    def __init__(self, img=8, patch=4, dim=8, depth=2, n_cls=5):
        super().__init__()
        self.patch = PatchEmbed(img, patch, 3, dim)
        self.cls = nn.Parameter(torch.zeros(1, 1, dim))
        self.pos = nn.Parameter(torch.zeros(1, self.patch.num_patches + 1, dim))
        nn.init.trunc_normal_(self.pos, std=0.02)
        self.blocks = nn.Sequential(*[Layer(dim, partial(nn.LayerNorm, eps=1e-6)) for _ in range(depth)])
        self.head = nn.Linear(dim, n_cls)

    def forward(self, x):
        x = self.patch(x)
        x = torch.cat([self.cls.expand(x.shape[0], -1, -1), x], 1)
        x += self.pos
        return self.head(self.blocks(x)[:, 0])


def mixup(x, y, n_cls, lam):
    onehot = torch.zeros(len(y), n_cls).scatter_(1, y[:, None], 1.0)
    perm = torch.randperm(len(y))
    mixed = x[perm].mul_(1 - lam).add_(x, alpha=lam)
    return mixed, lam * onehot + (1 - lam) * onehot[perm]


def soft_ce(logits, target):
    return -(target * logits.log_softmax(-1)).sum(-1).mean()


# --- driver ---
torch.manual_seed(0)
vit = ViT().train()
opt = torch.optim.AdamW(vit.parameters(), lr=1e-3)
x, t = mixup(torch.randn(4, 3, 8, 8), torch.randint(0, 5, (4,)), 5, 0.7)
soft_ce(vit(x), t).backward()
opt.step()
