"""Tiny ViT with key padding for variable-size images. Single-file training script."""
import argparse
import math
import torch
import torch.nn as nn
import torch.nn.functional as F


def get_args(argv=()):
    ap = argparse.ArgumentParser()
    ap.add_argument('--dim', type=int, default=16)
    ap.add_argument('--heads', type=int, default=2)
    ap.add_argument('--depth', type=int, default=2)
    ap.add_argument('--patch', type=int, default=4)
    ap.add_argument('--lr', type=float, default=1e-3)
    ap.add_argument('--classes', type=int, default=5)
    return ap.parse_args(list(argv))


class Attention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.scale = (dim // heads) ** -0.5
        self.qkv = nn.Linear(dim, dim * 3, bias=False)
        self.proj = nn.Linear(dim, dim)

    def forward(self, x, pad):
        B, N, C = x.shape
        qkv = self.qkv(x).reshape(B, N, 3, self.heads, C // self.heads).permute(2, 0, 3, 1, 4)
        q, k, v = qkv.unbind(0)
        attn = (q @ k.transpose(-2, -1)).mul_(self.scale)
        attn = attn.softmax(dim=-1)
        attn.masked_fill_(pad[:, None, None, :], 0.0)  # BUG
        x = (attn @ v).transpose(1, 2).reshape(B, N, C)
        return self.proj(x)


class Block(nn.Module):
    def __init__(self, dim, heads, ratio=2):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.attn = Attention(dim, heads)
        self.mlp = nn.Sequential(nn.Linear(dim, dim * ratio), nn.GELU(), nn.Linear(dim * ratio, dim))

    def forward(self, x, pad):
        x = x + self.attn(self.norm1(x), pad)
        return x + self.mlp(self.norm2(x))


class ViT(nn.Module):
    def __init__(self, args, n_patches=16):
        super().__init__()
        self.embed = nn.Conv2d(3, args.dim, args.patch, args.patch)
        self.pos = nn.Parameter(torch.zeros(1, n_patches, args.dim))
        nn.init.trunc_normal_(self.pos, std=0.02)
        self.blocks = nn.ModuleList(Block(args.dim, args.heads) for _ in range(args.depth))
        self.head = nn.Linear(args.dim, args.classes)

    def forward(self, img, pad):
        x = self.embed(img).flatten(2).transpose(1, 2)
        x += self.pos
        for blk in self.blocks:
            x = blk(x, pad)
        return self.head(x.mean(1))


def train_step(model, opt, img, pad, y):
    loss = F.cross_entropy(model(img, pad), y)
    opt.zero_grad(set_to_none=True)
    loss.backward()
    opt.step()
    return loss.item()


# --- driver ---
torch.manual_seed(0)
args = get_args()
net = ViT(args)
opt = torch.optim.AdamW(net.parameters(), lr=args.lr)
pad = torch.zeros(2, 16, dtype=torch.bool)
pad[1, 12:] = True
train_step(net, opt, torch.randn(2, 3, 16, 16), pad, torch.tensor([0, 3]))
