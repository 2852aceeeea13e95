from dataclasses import dataclass, field
from typing import List

import torch
import torch.nn as nn
import torch.nn.functional as F


@dataclass
class RPNConfig:
    stride: int = 4
    sizes: List[int] = field(default_factory=lambda: [6, 10])
    pos_iou: float = 0.4
    neg_iou: float = 0.2
    samples: int = 16
    std: tuple = (0.1, 0.1, 0.2, 0.2)


def pairwise_iou(a, b):
    lt = torch.max(a[:, None, :2], b[None, :, :2])
    rb = torch.min(a[:, None, 2:], b[None, :, 2:])
    inter = (rb - lt).clamp_(min=0).prod(-1)
    area = lambda x: (x[:, 2] - x[:, 0]) * (x[:, 3] - x[:, 1])
    union = area(a)[:, None] + area(b)[None]
    union -= inter
    return inter.div_(union)


class BoxCoder:
    def __init__(self, std):
        self.std = torch.tensor(std)

    def encode(self, anchors, gt):
        wh = anchors[:, 2:] - anchors[:, :2]
        gwh = gt[:, 2:] - gt[:, :2]
        t = torch.empty_like(anchors)
        t[:, :2] = ((gt[:, :2] + gwh / 2) - (anchors[:, :2] + wh / 2)) / wh
        t[:, 2:] = (gwh / wh).log_()
        return t.div_(self.std)

    def decode(self, anchors, deltas):
        d = deltas * self.std
        wh = anchors[:, 2:] - anchors[:, :2]
        centre = anchors[:, :2] + wh / 2
        centre = centre + d[:, :2] * wh
        size = d[:, 2:].clamp(max=4.0).exp() * wh
        out = torch.empty_like(d)
        out[:, :2] = centre - size / 2
        out[:, 2:] = centre + size / 2
        return out


def nms(boxes, scores, thr):
    order = scores.argsort(descending=True)
    alive = torch.ones_like(order, dtype=torch.bool)
    iou = pairwise_iou(boxes[order], boxes[order])
    for i in range(order.numel()):
        if alive[i]:
            alive[i + 1:] &= iou[i, i + 1:] <= thr
    return order[alive]


class RPN(nn.Module):
    def __init__(self, cfg: RPNConfig, ch=12):
        super().__init__()
        self.cfg, self.coder = cfg, BoxCoder(cfg.std)
        k = len(cfg.sizes)
        self.body = nn.Sequential(
            nn.Conv2d(3, ch, 3, 2, 1), nn.ReLU(inplace=True), nn.Conv2d(ch, ch, 3, 2, 1), nn.ReLU(inplace=True))
        self.obj, self.reg = nn.Conv2d(ch, k, 1), nn.Conv2d(ch, 4 * k, 1)
        for m in (self.obj, self.reg):
            nn.init.normal_(m.weight, std=0.01)
            nn.init.zeros_(m.bias)

    def anchors(self, h, w):
        gy, gx = torch.meshgrid(torch.arange(h), torch.arange(w), indexing="ij")
        c = torch.stack([gx, gy, gx, gy], -1).float().add_(0.5).mul_(self.cfg.stride)
        half = torch.tensor(self.cfg.sizes).float().div_(2)
        base = torch.stack([-half, -half, half, half], -1)
        return (c[:, :, None] + base).reshape(-1, 4)

    def forward(self, img):
        f = self.body(img)
        obj = self.obj(f).permute(0, 2, 3, 1).flatten(1)
        reg = self.reg(f).permute(0, 2, 3, 1).reshape(img.size(0), -1, 4)
        return obj, reg, self.anchors(*f.shape[-2:])

    @torch.no_grad()
    def assign(self, anchors, gt):
        iou = pairwise_iou(anchors, gt)
        best, which = iou.max(1)
        label = torch.full_like(best, -1)
        label[best < self.cfg.neg_iou] = 0
        label[best >= self.cfg.pos_iou] = 1
        label[iou.argmax(0)] = 1
        for cls, cap in ((1, self.cfg.samples // 2), (0, self.cfg.samples)):
            idx = (label == cls).nonzero().squeeze(1)
            if idx.numel() > cap:
                label[idx[torch.randperm(idx.numel())[cap:]]] = -1
        return label, self.coder.encode(anchors, gt[which])

    def loss(self, img, gts):
        obj, reg, anchors = self(img)
        total = obj.new_zeros(())
        for o, r, gt in zip(obj, reg, gts):
            label, target = self.assign(anchors, gt)
            used, pos = label >= 0, label == 1
            total += F.binary_cross_entropy_with_logits(o[used], label[used])
            total += F.smooth_l1_loss(r[pos], target[pos])
            size = self.coder.decode(anchors[pos], r[pos])
            total += 1e-3 * (size[:, 2:] - size[:, :2]).relu_().mean()
        return total / img.size(0)

    @torch.no_grad()
    def propose(self, img, limit=5):
        obj, reg, anchors = self(img)
        boxes = self.coder.decode(anchors, reg[0])
        boxes[:, 0::2].clamp_(0, img.size(-1))
        boxes[:, 1::2].clamp_(0, img.size(-2))
        return boxes[nms(boxes, obj[0].sigmoid_(), 0.5)[:limit]]


def train(model, steps, size=24):
    opt = torch.optim.SGD(model.parameters(), lr=0.02, momentum=0.9)
    for _ in range(steps):
        xy = torch.rand(2, 2, 2) * (size - 12)
        gts = torch.cat([xy, xy + 6 + 6 * torch.rand(2, 2, 2)], -1)
        loss = model.loss(torch.randn(2, 3, size, size), gts)
        opt.zero_grad()
        loss.backward()
        opt.step()
    return loss.item()


# --- driver ---
torch.manual_seed(0)
rpn = RPN(RPNConfig())
train(rpn, 2)
rpn.propose(torch.randn(1, 3, 24, 24))
