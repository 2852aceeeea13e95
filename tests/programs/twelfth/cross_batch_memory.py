"""Cross-batch memory (XBM) for place recognition descriptors."""
from dataclasses import dataclass, field
from typing import Iterator, Tuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn


@dataclass
class XBMConfig:
    dim: int = 16
    size: int = 40
    warmup: int = 1
    margin: float = 0.4


@dataclass
class RingMemory:
    cfg: XBMConfig
    feats: Tensor = field(init=False)
    places: Tensor = field(init=False)
    head: int = 0
    full: bool = False

    def __post_init__(self):
        self.feats = torch.zeros(self.cfg.size, self.cfg.dim)
        self.places = torch.full((self.cfg.size,), -1)

    def get(self) -> Tuple[Tensor, Tensor]:
        n = self.cfg.size if self.full else self.head
        return self.feats[:n], self.places[:n]

    @torch.no_grad()
    def put(self, f: Tensor, y: Tensor) -> None:
        slots = (torch.arange(len(y)) + self.head) % self.cfg.size
        self.feats[slots] = f
        self.places[slots] = y
        self.full |= self.head + len(y) >= self.cfg.size
        self.head = (self.head + len(y)) % self.cfg.size


class GeM(nn.Module):
    def __init__(self, p=3.0, eps=1e-6):
        super().__init__()
        self.p = nn.Parameter(torch.tensor(p))
        self.eps = eps

    def forward(self, x):
        return x.clamp(min=self.eps).pow(self.p).mean((-2, -1)).pow(1.0 / self.p)


class PlaceNet(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.conv = nn.Sequential(nn.Conv2d(3, 12, 3, 2), nn.ReLU(inplace=True), nn.Conv2d(12, dim, 3), nn.ReLU(inplace=True))
        self.pool = GeM()

    def forward(self, img):
        return F.normalize(self.pool(self.conv(img)), dim=1)


def contrastive(anchor, ya, bank, yb, margin):
    sim = anchor @ bank.t()
    same = ya[:, None] == yb[None, :]
    pos = (1 - sim)[same]
    neg = (sim - margin).clamp_(min=0)[~same]
    return (pos.sum() + neg.sum()) / len(ya)


class Learner:
    def __init__(self, cfg: XBMConfig):
        self.cfg, self.net, self.mem = cfg, PlaceNet(cfg.dim), RingMemory(cfg)
        self.opt = torch.optim.Adam(self.net.parameters(), 1e-3)

    def run(self, stream: Iterator) -> None:
        for step, (img, y) in enumerate(stream):
            f = self.net(img)
            loss = contrastive(f, y, f, y, self.cfg.margin)
            if step >= self.cfg.warmup:
                loss = loss + contrastive(f, y, *self.mem.get(), self.cfg.margin)
            self.opt.zero_grad()
            loss.backward()
            self.opt.step()
            self.mem.put(f.detach(), y)
            print(step, f"{loss.item():.4f}")


# --- driver ---
torch.manual_seed(10)
Learner(XBMConfig()).run((torch.rand(12, 3, 14, 14), torch.randint(0, 4, (12,))) for _ in range(6))
