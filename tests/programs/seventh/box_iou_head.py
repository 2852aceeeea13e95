import enum
from typing import Sequence

import torch
from torch import Tensor, nn


class BoxFormat(enum.Enum):
    XYXY = "xyxy"
    XYWH = "xywh"


class BoxList:
    def __init__(self, data: Tensor, fmt: BoxFormat):
        self.data, self.fmt = data, fmt

    def __len__(self):
        return self.data.shape[0]

    def area(self) -> Tensor:
        if self.fmt is BoxFormat.XYWH:
            return self.data[:, 2] * self.data[:, 3]
        return (self.data[:, 2] - self.data[:, 0]) * (self.data[:, 3] - self.data[:, 1])

    def to_corners(self) -> "BoxList":
        if self.fmt is BoxFormat.XYWH:
            self.data[:, 2:] += self.data[:, :2]  # BUG
            self.fmt = BoxFormat.XYXY
        return self


def paired_giou(a: BoxList, b: BoxList, eps: float = 1e-7) -> Tensor:
    area_a, area_b = a.area(), b.area()
    a, b = a.to_corners(), b.to_corners()
    lt = torch.max(a.data[:, :2], b.data[:, :2])
    rb = torch.min(a.data[:, 2:], b.data[:, 2:])
    wh = (rb - lt).clamp(min=0)
    inter = wh[:, 0] * wh[:, 1]
    union = area_a + area_b - inter
    hull_lt = torch.min(a.data[:, :2], b.data[:, :2])
    hull_rb = torch.max(a.data[:, 2:], b.data[:, 2:])
    hull = (hull_rb - hull_lt).prod(dim=1)
    return inter / (union + eps) - (hull - union) / (hull + eps)


class GIoULoss(nn.Module):
    def __init__(self, weight: float = 1.0):
        super().__init__()
        self.weight = weight

    def forward(self, pred: Tensor, target: Tensor) -> Tensor:
        giou = paired_giou(BoxList(pred, BoxFormat.XYWH), BoxList(target.clone(), BoxFormat.XYWH))
        return self.weight * (1 - giou).mean()


class RegressionHead(nn.Module):
    def __init__(self, ch: int, convs: int, strides: Sequence[int] = (4,)):
        super().__init__()
        tower = []
        for _ in range(convs):
            tower += [nn.Conv2d(ch, ch, 3, padding=1), nn.GroupNorm(2, ch), nn.ReLU(inplace=True)]
        self.tower = nn.Sequential(*tower)
        self.out = nn.Conv2d(ch, 4, 3, padding=1)
        self.stride = strides[0]

    def grid(self, h: int, w: int) -> Tensor:
        g = torch.empty(h, w, 2)
        g[..., 0] = torch.arange(w)[None, :]
        g[..., 1] = torch.arange(h)[:, None]
        return g.add_(0.5).mul_(self.stride)

    def forward(self, feat: Tensor) -> Tensor:
        raw = self.out(self.tower(feat)).permute(0, 2, 3, 1)
        h, w = raw.shape[1:3]
        xy = self.grid(h, w) + raw[..., :2]
        wh = nn.functional.softplus(raw[..., 2:]) * self.stride
        return torch.cat([xy, wh], -1).flatten(0, 2)


def train_head(head, feats, targets, steps=1):
    crit = GIoULoss()
    opt = torch.optim.Adam(head.parameters(), 1e-3)
    for _ in range(steps):
        opt.zero_grad()
        crit(head(feats), targets).backward()
        opt.step()


# --- driver ---
torch.manual_seed(0)
head = RegressionHead(8, 1)
tgt = torch.cat([torch.rand(32, 2) * 16, torch.rand(32, 2) * 8 + 1], 1)
train_head(head, torch.randn(2, 8, 4, 4), tgt)
