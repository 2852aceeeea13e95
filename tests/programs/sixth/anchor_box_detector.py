from functools import lru_cache

import torch
import torch.nn as nn
import torch.nn.functional as F


@lru_cache(maxsize=8)
def make_anchors(h, w, stride, sizes=(8.0, 16.0)):
    ys, xs = torch.meshgrid(torch.arange(h), torch.arange(w), indexing="ij")
    centers = torch.stack([xs, ys], -1).float().view(-1, 1, 2)
    centers.add_(0.5).mul_(stride)
    wh = torch.tensor(sizes).view(1, -1, 1).expand(h * w, -1, 2)
    return torch.cat([centers.expand(-1, len(sizes), 2), wh], -1).reshape(-1, 4)


def cxcywh_to_xyxy(b):
    out = b.clone()
    out[:, :2] = b[:, :2] - b[:, 2:] / 2
    out[:, 2:] = b[:, :2] + b[:, 2:] / 2
    return out


def box_iou(a, b):
    area = lambda t: (t[:, 2] - t[:, 0]) * (t[:, 3] - t[:, 1])
    lt = torch.maximum(a[:, None, :2], b[None, :, :2])
    rb = torch.minimum(a[:, None, 2:], b[None, :, 2:])
    wh = (rb - lt).clamp_(min=0)
    inter = wh[..., 0] * wh[..., 1]
    return inter / (area(a)[:, None] + area(b)[None] - inter).clamp_(min=1e-6)


class Matcher:
    def __init__(self, hi=0.5, lo=0.3):
        self.hi, self.lo = hi, lo

    def __call__(self, iou):
        best, idx = iou.max(1)
        idx[best < self.lo] = -1
        idx[(best >= self.lo) & (best < self.hi)] = -2
        idx[iou.argmax(0)] = torch.arange(iou.shape[1])
        return idx


class BoxCoder:
    def encode(self, gt, anchors):
        t = torch.empty_like(gt)
        t[:, :2] = (gt[:, :2] - anchors[:, :2]) / anchors[:, 2:]
        t[:, 2:] = torch.log(gt[:, 2:] / anchors[:, 2:])
        return t

    def decode(self, d, anchors):
        out = torch.zeros_like(d)
        out[:, :2] = d[:, :2] * anchors[:, 2:] + anchors[:, :2]
        out[:, 2:] = d[:, 2:].clamp(max=4).exp() * anchors[:, 2:]
        return cxcywh_to_xyxy(out)


class SSDLite(nn.Module):
    stride = 8

    def __init__(self, n_cls, ch=8, per_cell=2):
        super().__init__()
        self.n_cls = n_cls
        layers, c = [], 3
        for _ in range(3):
            layers += [nn.Conv2d(c, ch, 3, 2, 1), nn.BatchNorm2d(ch), nn.ReLU(inplace=True)]
            c = ch
        self.backbone = nn.Sequential(*layers)
        self.pred = nn.Conv2d(ch, per_cell * (4 + n_cls), 1)
        with torch.no_grad():
            self.pred.weight.mul_(0.1)

    def forward(self, x):
        p = self.pred(self.backbone(x))
        b, _, h, w = p.shape
        p = p.permute(0, 2, 3, 1).reshape(b, -1, 4 + self.n_cls)
        return p[..., :4], p[..., 4:], make_anchors(h, w, self.stride)


class SSDLoss:
    def __init__(self, n_cls):
        self.n_cls, self.matcher, self.coder = n_cls, Matcher(), BoxCoder()

    def __call__(self, reg, cls, anchors, targets):
        total = torch.zeros(())
        for r, c, t in zip(reg, cls, targets):
            gt = t["boxes"]
            idx = self.matcher(box_iou(cxcywh_to_xyxy(anchors), cxcywh_to_xyxy(gt)))
            onehot = torch.zeros_like(c)
            pos = (idx >= 0).nonzero().flatten()
            onehot[pos, t["labels"][idx[pos]]] = 1
            ce = F.binary_cross_entropy_with_logits(c, onehot, reduction="none").sum(1)
            ce[idx == -2] = 0
            total += ce.sum() / len(pos)
            total += F.smooth_l1_loss(r[pos], self.coder.encode(gt[idx[pos]], anchors[pos]))
            decoded = self.coder.decode(r[pos], anchors[pos])
            iou = box_iou(decoded, cxcywh_to_xyxy(gt)).gather(1, idx[pos, None])
            total += (1 - iou).mean()
        return total / len(targets)


# --- driver ---
torch.manual_seed(0)
model, crit = SSDLite(3), SSDLoss(3)
targets = [{"boxes": torch.tensor([[10.0, 10, 8, 9], [20, 18, 14, 15]]), "labels": torch.tensor([0, 2])}] * 2
opt = torch.optim.SGD(model.parameters(), lr=0.01)
crit(*model(torch.randn(2, 3, 32, 32)), targets).backward()
opt.step()
