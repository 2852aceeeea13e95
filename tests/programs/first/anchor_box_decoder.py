"""One-stage detector head: anchors, box decoding and a GIoU loss."""
from typing import Dict, List, Tuple

import torch
import torch.nn as nn
import torch.nn.functional as F


class AnchorGenerator:
    def __init__(self, strides=(4, 8), scales=(1.0, 1.6)):
        self.strides, self.scales = strides, scales

    def __call__(self, shapes: List[Tuple[int, int]]):
        out = []
        for (h, w), s in zip(shapes, self.strides):
            ys, xs = torch.meshgrid(torch.arange(h), torch.arange(w), indexing='ij')
            ctr = torch.stack([xs, ys], -1).reshape(-1, 2).float()
            ctr += 0.5
            ctr *= s
            for k in self.scales:
                wh = torch.full_like(ctr, 4.0 * s * k)
                out.append(torch.cat([ctr, wh], 1))
        return torch.cat(out)


class BoxCoder:
    def __init__(self, weights=(10.0, 10.0, 5.0, 5.0), clip=4.0):
        self.weights = torch.tensor(weights)
        self.clip = clip

    def decode(self, deltas, anchors):
        deltas = deltas / self.weights
        xy, wh = deltas[..., :2], deltas[..., 2:].clamp(max=self.clip)
        ctr = xy * anchors[:, 2:] + anchors[:, :2]
        size = wh.exp()
        size *= anchors[:, 2:]  # BUG
        half = size / 2
        return torch.cat([ctr - half, ctr + half], dim=-1)


def giou_loss(pred, tgt):
    lt, rb = torch.max(pred[..., :2], tgt[..., :2]), torch.min(pred[..., 2:], tgt[..., 2:])
    wh = (rb - lt).clamp(min=0)
    inter = wh[..., 0] * wh[..., 1]
    area = lambda b: (b[..., 2] - b[..., 0]) * (b[..., 3] - b[..., 1])
    union = area(pred) + area(tgt) - inter + 1e-7
    c = torch.max(pred[..., 2:], tgt[..., 2:]) - torch.min(pred[..., :2], tgt[..., :2])
    hull = c[..., 0] * c[..., 1] + 1e-7
    return (1 - inter / union + (hull - union) / hull).mean()


class Backbone(nn.Module):
    def __init__(self, ch=12):
        super().__init__()
        self.c1 = nn.Sequential(nn.Conv2d(3, ch, 3, 4, 1), nn.BatchNorm2d(ch), nn.ReLU(inplace=True))
        self.c2 = nn.Sequential(nn.Conv2d(ch, ch, 3, 2, 1), nn.BatchNorm2d(ch), nn.ReLU(inplace=True))

    def forward(self, x):
        p1 = self.c1(x)
        return [p1, self.c2(p1)]


class Detector(nn.Module):
    def __init__(self, n_classes=3, ch=12, n_scales=2):
        super().__init__()
        self.backbone = Backbone(ch)
        self.cls = nn.Conv2d(ch, n_scales * n_classes, 3, padding=1)
        self.reg = nn.Conv2d(ch, n_scales * 4, 3, padding=1)
        self.anchors, self.coder = AnchorGenerator(), BoxCoder()
        self.n_classes = n_classes

    def flatten(self, maps, d):
        return torch.cat([m.flatten(2).transpose(1, 2).reshape(m.size(0), -1, d) for m in maps], dim=1)

    def forward(self, images) -> Dict[str, torch.Tensor]:
        feats = self.backbone(images)
        anchors = self.anchors([f.shape[-2:] for f in feats])
        logits = self.flatten([self.cls(f) for f in feats], self.n_classes)
        deltas = self.flatten([self.reg(f) for f in feats], 4)
        return {'logits': logits, 'boxes': self.coder.decode(deltas, anchors)}


def detection_loss(out, labels, boxes):
    cls = F.cross_entropy(out['logits'].flatten(0, 1), labels.flatten())
    pos = labels > 0
    return {'cls': cls, 'box': giou_loss(out['boxes'][pos], boxes[pos])}


# --- driver ---
model = Detector()
opt = torch.optim.SGD(model.parameters(), lr=0.01)
imgs = torch.randn(2, 3, 32, 32)
n = 2 * (8 * 8 + 4 * 4)
labels = torch.randint(0, 3, (2, n))
xy = torch.rand(2, n, 2) * 16
gt = torch.cat([xy, xy + 4 + torch.rand(2, n, 2) * 8], -1)
losses = detection_loss(model(imgs), labels, gt)
opt.zero_grad()
sum(losses.values()).backward()
opt.step()
