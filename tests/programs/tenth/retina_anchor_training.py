"""Anchor-based one-stage detector: anchor labelling, focal loss, box coding."""
import math
from functools import lru_cache

import torch
import torch.nn as nn
import torch.nn.functional as F

IGNORE, BACKGROUND = -2, -1


@lru_cache(maxsize=None)
def base_anchors(size, ratios=(0.5, 1.0, 2.0)):
    r = torch.tensor(ratios)
    w, h = size / r.sqrt(), size * r.sqrt()
    return torch.stack([-w, -h, w, h], 1).div_(2)


def grid_anchors(side, stride, size):
    c = torch.arange(side).float().mul_(stride).add_(stride / 2)
    cy, cx = torch.meshgrid(c, c, indexing="ij")
    shifts = torch.stack([cx, cy, cx, cy], -1).view(-1, 1, 4)
    return (shifts + base_anchors(size)).view(-1, 4)


def iou_matrix(a, b):
    lt, rb = torch.maximum(a[:, None, :2], b[None, :, :2]), torch.minimum(a[:, None, 2:], b[None, :, 2:])
    wh = rb.sub_(lt).clamp_(min=0)
    inter = wh[..., 0] * wh[..., 1]
    area = lambda t: (t[:, 2] - t[:, 0]) * (t[:, 3] - t[:, 1])
    return inter / (area(a)[:, None] + area(b)[None] - inter)


class Assigner:
    def __init__(self, low=0.3, high=0.5):
        self.low, self.high = low, high

    def __call__(self, anchors, boxes, labels):
        iou = iou_matrix(anchors, boxes)
        best, which = iou.max(1)
        goal = torch.full((len(anchors),), IGNORE)
        goal[best < self.low] = BACKGROUND
        goal[best >= self.high] = labels[which[best >= self.high]]
        forced = iou.argmax(0)
        goal[forced] = labels
        which[forced] = torch.arange(len(boxes))
        return goal, which


class BoxCoder:
    def __init__(self, std=(0.1, 0.1, 0.2, 0.2)):
        self.std = torch.tensor(std)

    @staticmethod
    def _split(b):
        return (b[:, :2] + b[:, 2:]) / 2, b[:, 2:] - b[:, :2]

    def encode(self, anchors, boxes):
        (ac, aw), (bc, bw) = self._split(anchors), self._split(boxes)
        out = torch.cat([(bc - ac) / aw, (bw / aw).log_()], 1)
        return out.div_(self.std)


class RetinaHead(nn.Module):
    def __init__(self, classes, ch=12, per_cell=3, prior=0.01):
        super().__init__()
        self.backbone = nn.Sequential(*[m for i in range(3) for m in (
            nn.Conv2d(3 if i == 0 else ch, ch, 3, 2, 1), nn.BatchNorm2d(ch), nn.ReLU(inplace=True))])
        self.cls, self.reg = nn.Conv2d(ch, classes * per_cell, 3, padding=1), nn.Conv2d(ch, 4 * per_cell, 3, padding=1)
        self.classes = classes
        nn.init.constant_(self.cls.bias, -math.log((1 - prior) / prior))

    def forward(self, x):
        f = self.backbone(x)
        flat = lambda t, k: t.permute(0, 2, 3, 1).reshape(len(x), -1, k)
        return flat(self.cls(f), self.classes), flat(self.reg(f), 4)


def focal(logits, target, gamma=2.0, alpha=0.25):
    ce = F.binary_cross_entropy_with_logits(logits, target, reduction="none")
    with torch.no_grad():
        p = logits.sigmoid()
        weight = (p - target).abs_().pow_(gamma)
        weight *= torch.where(target > 0, alpha, 1 - alpha)
    ce *= weight
    return ce.sum()


class DetectionLoss:
    def __init__(self, anchors, assigner=Assigner(), coder=BoxCoder()):
        self.anchors, self.assign, self.coder = anchors, assigner, coder

    def __call__(self, logits, deltas, targets):
        cls_loss, reg_loss, count = 0.0, 0.0, 0
        for lg, dl, (boxes, labels) in zip(logits, deltas, targets):
            goal, which = self.assign(self.anchors, boxes, labels)
            pos, used = goal >= 0, goal != IGNORE
            onehot = torch.zeros_like(lg)
            onehot[pos, goal[pos]] = 1.0
            cls_loss += focal(lg[used], onehot[used])
            reg_loss += F.smooth_l1_loss(dl[pos], self.coder.encode(self.anchors[pos], boxes[which[pos]]), reduction="sum")
            count += int(pos.sum())
        return (cls_loss + reg_loss) / max(count, 1)


# --- driver ---
torch.manual_seed(36)
model, criterion = RetinaHead(3), DetectionLoss(grid_anchors(4, 8, 12.0))
opt = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
for _ in range(3):
    corner = torch.rand(2, 2, 2) * 18
    targets = [(torch.cat([c, c + 8 + 6 * torch.rand(2, 2)], 1), torch.randint(0, 3, (2,))) for c in corner]
    loss = criterion(*model(torch.randn(2, 3, 32, 32)), targets)
    opt.zero_grad()
    loss.backward()
    opt.step()
