"""Margin-softmax face embedding with class-centre bookkeeping and a verification sweep."""
import math
from abc import ABC, abstractmethod
from typing import Dict, Type

import torch
from torch import nn, Tensor
import torch.nn.functional as F

HEADS: Dict[str, Type["MarginHead"]] = {}


class MarginHead(nn.Module, ABC):
    def __init_subclass__(cls, name: str = "", **kw):
        super().__init_subclass__(**kw)
        HEADS[name] = cls

    def __init__(self, dim: int, n: int, s: float, m: float):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(n, dim))
        nn.init.xavier_uniform_(self.weight)
        self.s, self.m = s, m

    def cosine(self, x: Tensor) -> Tensor:
        return F.linear(F.normalize(x), F.normalize(self.weight))

    @abstractmethod
    def forward(self, x: Tensor, y: Tensor) -> Tensor: ...


class ArcFace(MarginHead, name="arc"):
    def forward(self, x, y):
        cos = self.cosine(x)
        rows = torch.arange(len(y))
        target = cos[rows, y].clamp(-1 + 1e-6, 1 - 1e-6)
        sin = (1 - target.pow(2)).sqrt()
        phi = target * math.cos(self.m) - sin * math.sin(self.m)
        hard = target <= math.cos(math.pi - self.m)
        phi = torch.where(hard, target - math.sin(math.pi - self.m) * self.m, phi)
        cos[rows, y] = phi
        cos *= self.s
        return cos


class CosFace(MarginHead, name="cos"):
    def forward(self, x, y):
        logits = self.cosine(x)
        margin = torch.zeros_like(logits)
        margin.scatter_(1, y.unsqueeze(1), self.m)
        logits -= margin
        return logits.mul_(self.s)


class CurricularFace(MarginHead, name="curricular"):
    def __init__(self, dim, n, s, m):
        super().__init__(dim, n, s, m)
        self.register_buffer("t", torch.zeros(1))

    def forward(self, x, y):
        cos = self.cosine(x)
        target = cos.gather(1, y.unsqueeze(1))
        with torch.no_grad():
            self.t.mul_(0.99).add_(target.mean(), alpha=0.01)
        theta = torch.acos(target.clamp(-1 + 1e-6, 1 - 1e-6))
        margin = torch.cos(theta + self.m)
        hard = cos > margin
        out = torch.where(hard, cos * (self.t.clone() + cos), cos)
        out.scatter_(1, y.unsqueeze(1), margin)
        out *= self.s
        return out


class Embedder(nn.Module):
    def __init__(self, dim: int):
        super().__init__()
        self.conv = nn.Sequential(
            nn.Conv2d(1, 6, 3, 2, 1, bias=False), nn.BatchNorm2d(6), nn.PReLU(6),
            nn.Conv2d(6, 8, 3, 2, 1, bias=False), nn.BatchNorm2d(8), nn.PReLU(8), nn.Flatten(),
        )
        self.fc = nn.Linear(32, dim, bias=False)
        self.bn = nn.BatchNorm1d(dim)
        nn.init.ones_(self.bn.weight).requires_grad_(False)

    def forward(self, x: Tensor) -> Tensor:
        return self.bn(self.fc(self.conv(x)))


class Centres:
    def __init__(self, n: int, dim: int):
        self.sum, self.count = torch.zeros(n, dim), torch.zeros(n)

    def add(self, e: Tensor, y: Tensor) -> None:
        self.sum.index_add_(0, y, F.normalize(e.detach()))
        self.count.index_add_(0, y, torch.ones(len(y)))

    def means(self) -> Tensor:
        return self.sum / self.count.clamp(min=1).unsqueeze(1)


@torch.no_grad()
def best_threshold(net: nn.Module, a: Tensor, b: Tensor, same: Tensor) -> float:
    net.eval()
    ea, eb = net(a), net(b)
    ea += net(a.flip(-1))
    eb += net(b.flip(-1))
    score = F.cosine_similarity(ea, eb)
    acc = torch.zeros(20)
    for i, t in enumerate(torch.linspace(-1, 1, 20)):
        acc[i] = ((score > t) == same).float().mean()
    net.train()
    return acc.max().item()


def train(kind: str, steps: int, n: int = 4, dim: int = 6) -> float:
    net, head = Embedder(dim), HEADS[kind](dim, n, 8.0, 0.3)
    centres = Centres(n, dim)
    params = [p for m in (net, head) for p in m.parameters() if p.requires_grad]
    opt = torch.optim.SGD(params, lr=0.05, momentum=0.9)
    for _ in range(steps):
        x, y = torch.randn(8, 1, 8, 8), torch.randint(n, (8,))
        e = net(x)
        loss = F.cross_entropy(head(e, y), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        centres.add(e, y)
    return best_threshold(net, x[:4], x[4:], y[:4] == y[4:])


# --- driver ---
torch.manual_seed(0)
for kind in ("arc", "cos", "curricular"):
    train(kind, 2)
