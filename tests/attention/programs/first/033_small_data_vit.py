"""Patch tokenisation with spatial shifts, plus attention whose sharpness is trained."""
import math

import torch
import torch.nn.functional as F
from torch import nn


class ShiftedPatches(nn.Module):
    def __init__(self, dim, patch, channels=1):
        super().__init__()
        self.patch = patch
        pd = patch * patch * 5 * channels
        self.norm = nn.LayerNorm(pd)
        self.proj = nn.Linear(pd, dim)

    def forward(self, x):
        shifts = ((1, -1, 0, 0), (-1, 1, 0, 0), (0, 0, 1, -1), (0, 0, -1, 1))
        x = torch.cat([x] + [F.pad(x, s) for s in shifts], dim=1)
        t = F.unfold(x, self.patch, stride=self.patch).transpose(1, 2)
        return self.proj(self.norm(t))


class LSA(nn.Module):
    def __init__(self, dim, heads=8, dim_head=64, dropout=0.0):
        super().__init__()
        self.heads = heads
        self.temperature = nn.Parameter(torch.log(torch.tensor(dim_head ** -0.5)))
        self.norm = nn.LayerNorm(dim)
        self.attend = nn.Softmax(dim=-1)
        self.dropout = nn.Dropout(dropout)
        self.to_qkv = nn.Linear(dim, dim_head * heads * 3, bias=False)
        self.to_out = nn.Sequential(nn.Linear(dim_head * heads, dim), nn.Dropout(dropout))

    def forward(self, x):
        x = self.norm(x)
        b, n, _, h = *x.shape, self.heads
        qkv = self.to_qkv(x).chunk(3, dim=-1)
        q, k, v = map(lambda t: t.view(b, n, h, -1).transpose(1, 2), qkv)

        dots = torch.matmul(q, k.transpose(-1, -2)) * self.temperature.exp()

        mask = torch.eye(dots.shape[-1], device=dots.device, dtype=torch.bool)
        mask_value = -torch.finfo(dots.dtype).max
        dots = dots.masked_fill(mask, mask_value)

        attn = self.attend(dots)  # ATTN
        attn = self.dropout(attn)

        out = torch.matmul(attn, v)
        out = out.transpose(1, 2).reshape(b, n, -1)
        return self.to_out(out)


class SmallViT(nn.Module):
    def __init__(self, dim=24, depth=2, heads=3, classes=7):
        super().__init__()
        self.patches = ShiftedPatches(dim, 4)
        self.layers = nn.ModuleList()
        for _ in range(depth):
            ff = nn.Sequential(nn.LayerNorm(dim), nn.Linear(dim, 40), nn.GELU(), nn.Linear(40, dim))
            self.layers.append(nn.ModuleList([LSA(dim, heads, 8, 0.1), ff]))
        self.head = nn.Sequential(nn.LayerNorm(dim), nn.Linear(dim, classes))

    @staticmethod
    def posemb_sincos(n, dim, like):
        pos = torch.arange(n, dtype=like.dtype)[:, None]
        freq = torch.exp(-math.log(1e4) * torch.arange(dim // 2, dtype=like.dtype) / (dim // 2))
        return torch.cat([(pos * freq).sin(), (pos * freq).cos()], dim=-1)

    def forward(self, img):
        x = self.patches(img)
        x = x + self.posemb_sincos(x.shape[1], x.shape[2], x)
        for attn, ff in self.layers:
            x = x + attn(x)
            x = x + ff(x)
        return self.head(x.mean(1))


# --- driver ---
torch.manual_seed(33)
vit = SmallViT().double().eval()
RESULTS = []
for hw in ((12, 12), (8, 16)):
    vit.zero_grad()
    img = torch.rand(2, 1, *hw, dtype=torch.float64, requires_grad=True)
    logits = vit(img)
    F.cross_entropy(logits, torch.tensor([2, 5])).backward()
    RESULTS += [logits.detach(), img.grad] + [p.grad.clone() for p in vit.parameters()]
