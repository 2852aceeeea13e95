"""Keeps, for every query, only the strongest matches before and after normalising."""
import torch
import torch.nn as nn
import torch.nn.functional as F


class SelectiveAttention(nn.Module):
    def __init__(self, dim, num_heads=2, keep=0.5, floor=0.02):
        super().__init__()
        self.num_heads = num_heads
        self.keep = keep
        self.floor = floor
        self.temperature = nn.Parameter(torch.ones(num_heads, 1, 1))
        self.qkv = nn.Conv2d(dim, dim * 3, 1)
        self.qkv_dw = nn.Conv2d(dim * 3, dim * 3, 3, padding=1, groups=dim * 3)
        self.project_out = nn.Conv2d(dim, dim, 1)
        self.mix = nn.Parameter(torch.tensor([0.6, 0.4]))

    def heads(self, t):
        b, c, h, w = t.shape
        return t.reshape(b, self.num_heads, c // self.num_heads, h * w).transpose(2, 3)

    def forward(self, x):
        b, c, h, w = x.shape
        q, k, v = (self.heads(t) for t in self.qkv_dw(self.qkv(x)).chunk(3, dim=1))
        q = F.normalize(q, dim=-1)
        k = F.normalize(k, dim=-1)

        attn = (q @ k.transpose(-2, -1)) * self.temperature * 8
        probs = attn.softmax(dim=-1)  # NOT

        n = probs.shape[-1]
        index = torch.topk(probs, k=max(1, int(n * self.keep)), dim=-1).indices
        mask = torch.zeros_like(probs).scatter_(-1, index, 1.0)
        first = probs * mask
        second = torch.where(probs > self.floor, probs, torch.zeros_like(probs))
        second = second / second.sum(-1, keepdim=True).clamp_min(1e-6)

        out = (first @ v) * self.mix[0] + (second @ v) * self.mix[1]
        out = out.transpose(2, 3).reshape(b, c, h, w)
        return self.project_out(out)


class Restorer(nn.Module):
    def __init__(self, dim=8):
        super().__init__()
        self.head = nn.Conv2d(3, dim, 3, padding=1)
        self.norm = nn.GroupNorm(1, dim)
        self.attn = SelectiveAttention(dim)
        self.tail = nn.Conv2d(dim, 3, 3, padding=1)

    def forward(self, img):
        f = self.head(img)
        f = f + self.attn(self.norm(f))
        return img + self.tail(f)


def charbonnier(x, y, eps=1e-3):
    return torch.sqrt((x - y) ** 2 + eps ** 2).mean()


# --- driver ---
torch.manual_seed(46)
net = Restorer().double().eval()
RESULTS = []
for hw in ((5, 5), (4, 7)):
    img = torch.rand(2, 3, *hw, dtype=torch.float64, requires_grad=True)
    net.zero_grad()
    out = net(img)
    charbonnier(out, torch.rand_like(out)).backward()
    RESULTS += [out.detach(), img.grad, *(p.grad.clone() for p in net.parameters())]
