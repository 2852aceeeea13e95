"""Hyperspherical face-recognition head with a fused normalisation Function."""
import math
import torch
from torch import nn
import torch.nn.functional as F


class UnitNorm(torch.autograd.Function):
    """y = x / |x|; only y and the norm are kept for the backward."""

    @staticmethod
    def forward(ctx, x, eps):
        n = x.norm(dim=-1, keepdim=True).clamp_(min=eps)
        y = x / n
        ctx.save_for_backward(y, n)
        return y

    @staticmethod
    def backward(ctx, g):
        y, n = ctx.saved_tensors
        dot = (g * y).sum(-1, keepdim=True)
        return (g - y * dot) / n, None


def unit(x, eps=1e-6):
    return UnitNorm.apply(x, eps)


class Margin:
    registry = {}

    def __init_subclass__(cls, key=None, **kw):
        super().__init_subclass__(**kw)
        Margin.registry[key] = cls

    @classmethod
    def make(cls, key, **kw):
        return cls.registry[key](**kw)


class ArcMargin(Margin, key="arc"):
    def __init__(self, m=0.3):
        self.cos, self.sin = math.cos(m), math.sin(m)

    def __call__(self, c):
        return c * self.cos - (1 - c.square()).clamp(min=1e-6).sqrt() * self.sin


class CosMargin(Margin, key="cos"):
    def __init__(self, m=0.2):
        self.m = m

    def __call__(self, c):
        return c - self.m


class MarginHead(nn.Module):
    def __init__(self, dim, classes, margin, s=16.0):
        super().__init__()
        self.w = nn.Parameter(torch.randn(classes, dim))
        self.margin, self.s = margin, s

    def forward(self, emb, y):
        cos = emb @ unit(self.w).t()
        rows = torch.arange(len(y))
        target = self.margin(cos[rows, y])
        logits = cos.index_put((rows, y), target)
        return logits.mul_(self.s)


class FaceNet(nn.Module):
    def __init__(self, dim=12):
        super().__init__()
        self.conv = nn.Sequential(nn.Conv2d(1, 8, 3, 2, 1), nn.PReLU(8), nn.Conv2d(8, 8, 3, 2, 1), nn.PReLU(8))
        self.fc = nn.Linear(8 * 9, dim)
        self.noise = 0.05

    def forward(self, img):
        z = unit(self.fc(self.conv(img).flatten(1)))
        if self.training:
            z += self.noise * torch.randn_like(z)  # BUG
        return z


def train(net, head, steps, classes):
    opt = torch.optim.SGD([*net.parameters(), *head.parameters()], lr=0.05, momentum=0.9, weight_decay=5e-4)
    for _ in range(steps):
        img, y = torch.rand(8, 1, 12, 12), torch.randint(0, classes, (8,))
        loss = F.cross_entropy(head(net(img), y), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        yield loss.item()


# --- driver ---
torch.manual_seed(0)
for kind in Margin.registry:
    print(kind, list(train(FaceNet(), MarginHead(12, 6, Margin.make(kind)), 3, 6)))
