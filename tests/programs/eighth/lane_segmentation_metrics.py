"""Lane segmentation with online hard example mining and streaming metrics."""
from collections import OrderedDict
from typing import Protocol

import torch
import torch.nn as nn
import torch.nn.functional as F

IGNORE = 255


class Metric(Protocol):
    def update(self, logits, target): ...
    def compute(self) -> float: ...


class MeanIoU:
    def __init__(self, n):
        self.n = n
        self.mat = torch.zeros(n, n, dtype=torch.long)

    @torch.no_grad()
    def update(self, logits, target):
        valid = target != IGNORE
        idx = target[valid] * self.n
        idx += logits.argmax(1)[valid]
        self.mat += torch.bincount(idx, minlength=self.n ** 2).view(self.n, self.n)

    def compute(self):
        m = self.mat.float()
        inter = m.diag()
        union = m.sum(0).add_(m.sum(1)).sub_(inter).clamp_(min=1)
        return inter.div(union).mean().item()


class BoundaryError:
    def __init__(self):
        self.total, self.count = torch.zeros(1), 0

    @torch.no_grad()
    def update(self, logits, target):
        p = logits.argmax(1)
        edge = torch.zeros_like(target, dtype=torch.bool)
        edge[..., 1:] |= target[..., 1:] != target[..., :-1]
        edge[..., 1:, :] |= target[..., 1:, :] != target[..., :-1, :]
        edge &= target != IGNORE
        self.total += (p != target)[edge].float().sum()
        self.count += int(edge.sum())

    def compute(self):
        return self.total.item() / max(self.count, 1)


class OhemDice(nn.Module):
    def __init__(self, n, keep=0.5, dice_weight=0.5):
        super().__init__()
        self.n, self.keep, self.dice_weight = n, keep, dice_weight

    def forward(self, logits, target):
        valid = target != IGNORE
        safe = target.clone()
        safe[~valid] = 0
        onehot = torch.zeros_like(logits).scatter_(1, safe.unsqueeze(1), 1.0)
        onehot.mul_(valid.unsqueeze(1))
        pixel = F.cross_entropy(logits, target, ignore_index=IGNORE, reduction="none").flatten()
        k = max(1, int(self.keep * int(valid.sum())))
        hard = pixel.topk(k).values.mean()
        p = logits.softmax(1) * valid.unsqueeze(1)
        inter = (p * onehot).sum((0, 2, 3))
        total = p.sum((0, 2, 3))
        total += onehot.sum((0, 2, 3))
        dice = 1 - (2 * inter + 1) / (total + 1)
        return hard + self.dice_weight * dice.mean()


class ASPP(nn.Module):
    def __init__(self, cin, cout, rates=(1, 2, 3)):
        super().__init__()
        self.branches = nn.ModuleList(nn.Conv2d(cin, cout, 3, padding=r, dilation=r) for r in rates)
        self.pool = nn.Conv2d(cin, cout, 1)

    def forward(self, x):
        out = self.pool(x.mean((2, 3), keepdim=True)).expand(-1, -1, *x.shape[-2:]).clone()
        for b in self.branches:
            out += b(x)
        return F.relu(out, inplace=True)


class LaneNet(nn.Module):
    def __init__(self, classes=3, ch=8):
        super().__init__()
        self.net = nn.Sequential(OrderedDict(
            stem=nn.Conv2d(3, ch, 3, 2, 1), bn=nn.BatchNorm2d(ch), act=nn.ReLU(inplace=True),
            aspp=ASPP(ch, ch), out=nn.Conv2d(ch, classes, 1)))

    def forward(self, x):
        return F.interpolate(self.net(x), scale_factor=2, mode="bilinear", align_corners=False)


def road(n, size=12):
    img = torch.rand(n, 3, size, size).mul_(0.2)
    lab = torch.zeros(n, size, size, dtype=torch.long)
    for i in range(n):
        c = int(torch.randint(2, size - 2, (1,)))
        lab[i, :, c - 1:c + 1] = 1
        lab[i, :, :1] = 2
    img += (lab[:, None] / 3.0)
    lab[:, 0] = IGNORE
    return img, lab


def run(model, loss_fn, metrics, steps):
    opt = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    for _ in range(steps):
        img, lab = road(2)
        out = model(img)
        loss = loss_fn(out, lab)
        opt.zero_grad()
        loss.backward()
        opt.step()
        for m in metrics:
            m.update(out, lab)
    return [m.compute() for m in metrics]


# --- driver ---
torch.manual_seed(0)
run(LaneNet(), OhemDice(3), [MeanIoU(3), BoundaryError()], steps=2)
