"""Anchor-free detection head: per-level towers, learnable scales, GIoU regression on l/t/r/b distances."""
from dataclasses import dataclass
from typing import List, Sequence, Tuple

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import Tensor


@dataclass
class HeadConfig:
    channels: int = 16
    num_classes: int = 3
    depth: int = 2
    strides: Tuple[int, ...] = (8, 16)


class LevelScale(nn.Module):
    def __init__(self, init: float = 1.0):
        super().__init__()
        self.value = nn.Parameter(torch.tensor(init))

    def forward(self, x: Tensor) -> Tensor:
        return x * self.value


def tower(channels: int, depth: int) -> nn.Sequential:
    layers: List[nn.Module] = []
    for _ in range(depth):
        layers += [nn.Conv2d(channels, channels, 3, padding=1), nn.GroupNorm(4, channels), nn.ReLU(inplace=True)]
    return nn.Sequential(*layers)


class AnchorFreeHead(nn.Module):
    def __init__(self, cfg: HeadConfig):
        super().__init__()
        self.cfg = cfg
        self.cls_tower = tower(cfg.channels, cfg.depth)
        self.box_tower = tower(cfg.channels, cfg.depth)
        self.cls_out = nn.Conv2d(cfg.channels, cfg.num_classes, 3, padding=1)
        self.box_out = nn.Conv2d(cfg.channels, 4, 3, padding=1)
        self.scales = nn.ModuleList(LevelScale() for _ in cfg.strides)

    def forward(self, feats: Sequence[Tensor]):
        logits, dists = [], []
        for feat, scale in zip(feats, self.scales):
            logits.append(self.cls_out(self.cls_tower(feat)))
            dists.append(torch.exp(scale(self.box_out(self.box_tower(feat)))))
        return logits, dists


class PointGenerator:
    def __init__(self, strides: Sequence[int]):
        self.strides = strides

    def centers(self, h: int, w: int, stride: int) -> Tensor:
        ys, xs = torch.meshgrid(torch.arange(h), torch.arange(w), indexing="ij")
        pts = torch.stack([xs, ys], -1).reshape(-1, 2).float()
        return pts.mul_(stride).add_(stride // 2)

    def to_boxes(self, dists: Sequence[Tensor]) -> Tensor:
        out = []
        for d, stride in zip(dists, self.strides):
            b, _, h, w = d.shape
            flat = d.flatten(2).transpose(1, 2)
            flat *= stride  # BUG
            pts = self.centers(h, w, stride).expand(b, -1, -1)
            out.append(torch.cat([pts - flat[..., :2], pts + flat[..., 2:]], -1))
        return torch.cat(out, 1)


def giou_loss(p: Tensor, t: Tensor) -> Tensor:
    lt, rb = torch.maximum(p[..., :2], t[..., :2]), torch.minimum(p[..., 2:], t[..., 2:])
    inter = (rb - lt).clamp(min=0).prod(-1)
    area = lambda b: (b[..., 2:] - b[..., :2]).prod(-1)
    union = area(p) + area(t) - inter
    hull = (torch.maximum(p[..., 2:], t[..., 2:]) - torch.minimum(p[..., :2], t[..., :2])).prod(-1)
    return (1 - inter / union + (hull - union) / hull).mean()


class Detector(nn.Module):
    def __init__(self, cfg: HeadConfig):
        super().__init__()
        self.head = AnchorFreeHead(cfg)
        self.points = PointGenerator(cfg.strides)

    def loss(self, feats: Sequence[Tensor], labels: Tensor, boxes: Tensor) -> Tensor:
        logits, dists = self.head(feats)
        pred = self.points.to_boxes(dists)
        flat = torch.cat([l.flatten(2).transpose(1, 2) for l in logits], 1)
        target = torch.zeros_like(flat).scatter_(-1, labels.unsqueeze(-1), 1.0)
        return F.binary_cross_entropy_with_logits(flat, target) + giou_loss(pred, boxes)


# --- driver ---
torch.manual_seed(0)
det = Detector(HeadConfig())
opt = torch.optim.SGD(det.parameters(), lr=1e-3)
for _ in range(2):
    feats = [torch.randn(2, 16, 8, 8), torch.randn(2, 16, 4, 4)]
    tl = torch.rand(2, 80, 2) * 40
    loss = det.loss(feats, torch.randint(0, 3, (2, 80)), torch.cat([tl, tl + 12], -1))
    opt.zero_grad()
    loss.backward()
    opt.step()
