"""Single-scale grid detector: in-place target grids, IoU-aware objectness, soft-NMS at inference."""
from typing import List, NamedTuple

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import Tensor


class Targets(NamedTuple):
    mask: Tensor
    box: Tensor
    cls: Tensor


class Detections(NamedTuple):
    boxes: Tensor
    scores: Tensor
    labels: Tensor


def to_corners(b: Tensor) -> Tensor:
    return torch.cat([b[..., :2] - b[..., 2:] / 2, b[..., :2] + b[..., 2:] / 2], -1)


def aligned_iou(a: Tensor, b: Tensor) -> Tensor:
    a, b = to_corners(a), to_corners(b)
    wh = (torch.minimum(a[..., 2:], b[..., 2:]) - torch.maximum(a[..., :2], b[..., :2])).clamp_(min=0)
    inter = wh.prod(-1)
    area = lambda t: (t[..., 2:] - t[..., :2]).prod(-1)
    return inter / (area(a) + area(b) - inter + 1e-9)


class Grid:
    def __init__(self, size: int):
        self.size = size
        y, x = torch.meshgrid(torch.arange(size), torch.arange(size), indexing="ij")
        self.offset = torch.stack([x, y], -1).float()

    def decode(self, raw: Tensor) -> Tensor:
        xy = raw[..., :2].sigmoid() * 1.1
        xy -= 0.05
        xy += self.offset
        wh = raw[..., 2:4].sigmoid().square() * 4
        return torch.cat([xy, wh], -1) / self.size

    def assign(self, boxes: List[Tensor], labels: List[Tensor], classes: int) -> Targets:
        n, s = len(boxes), self.size
        mask = torch.zeros(n, s, s, dtype=torch.bool)
        box, cls = torch.zeros(n, s, s, 4), torch.zeros(n, s, s, classes)
        for i, (b, l) in enumerate(zip(boxes, labels)):
            col, row = (b[:, :2] * s).long().clamp_(0, s - 1).unbind(1)
            mask[i, row, col] = True
            box[i, row, col] = b
            cls[i, row, col] = 0.0
            cls[i, row, col, l] = 1.0
        return Targets(mask, box, cls)


class GridDetector(nn.Module):
    def __init__(self, classes: int, ch: int = 12):
        super().__init__()
        body, cin = [], 3
        for _ in range(3):
            body += [nn.Conv2d(cin, ch, 3, 2, 1, bias=False), nn.BatchNorm2d(ch), nn.LeakyReLU(0.1, inplace=True)]
            cin = ch
        self.body = nn.Sequential(*body)
        self.out = nn.Conv2d(ch, 5 + classes, 1)
        self.classes, self.grid = classes, Grid(4)

    def forward(self, x: Tensor) -> Tensor:
        return self.out(self.body(x)).permute(0, 2, 3, 1)

    def loss(self, x: Tensor, boxes: List[Tensor], labels: List[Tensor]) -> Tensor:
        raw = self(x)
        tgt = self.grid.assign(boxes, labels, self.classes)
        pred = self.grid.decode(raw)
        iou = aligned_iou(pred[tgt.mask], tgt.box[tgt.mask])
        objectness = torch.zeros(raw.shape[:-1])
        objectness[tgt.mask] = iou.detach().clamp_(min=0)
        obj = F.binary_cross_entropy_with_logits(raw[..., 4], objectness, reduction="none")
        obj[~tgt.mask] *= 0.5
        cls = F.binary_cross_entropy_with_logits(raw[..., 5:][tgt.mask], tgt.cls[tgt.mask])
        return 5 * (1 - iou).mean() + obj.mean() + cls

    @torch.no_grad()
    def detect(self, x: Tensor, floor: float = 0.05, sigma: float = 0.5) -> List[Detections]:
        raw = self(x)
        boxes = self.grid.decode(raw).flatten(1, 2)
        best, label = raw[..., 5:].sigmoid_().flatten(1, 2).max(-1)
        best *= raw[..., 4].sigmoid().flatten(1)
        return [soft_nms(b, s, l, sigma, floor) for b, s, l in zip(boxes, best, label)]


def soft_nms(boxes: Tensor, scores: Tensor, labels: Tensor, sigma: float, floor: float) -> Detections:
    kept, live = [], scores.clone()
    final = scores.clone()
    while live.max() > floor:
        i = int(live.argmax())
        kept.append(i)
        final[i] = live[i]
        live *= torch.exp(-aligned_iou(boxes[i].expand_as(boxes), boxes).square_() / sigma)
        live[i] = -1.0
    idx = torch.tensor(kept, dtype=torch.long)
    return Detections(boxes[idx], final[idx], labels[idx])


# --- driver ---
torch.manual_seed(55)
net = GridDetector(3)
opt = torch.optim.SGD(net.parameters(), lr=0.02, momentum=0.9)
for _ in range(3):
    boxes = [torch.cat([torch.rand(k, 2), torch.rand(k, 2) * 0.4 + 0.1], 1) for k in (1, 3)]
    loss = net.loss(torch.randn(2, 3, 32, 32), boxes, [torch.randint(0, 3, (len(b),)) for b in boxes])
    opt.zero_grad()
    loss.backward()
    opt.step()
net.eval().detect(torch.randn(1, 3, 32, 32))
