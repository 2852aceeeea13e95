"""One-class anchor detector: target assignment, hard negative mining, NMS."""
import torch
import torch.nn as nn
import torch.nn.functional as F

STRIDE, SIZE = 4, 16
VAR = (0.1, 0.2)


def make_anchors():
    n = SIZE // STRIDE
    c = torch.arange(n).float().mul_(STRIDE).add_(STRIDE / 2)
    a = torch.empty(n, n, 4)
    a[..., 0] = c[None, :]
    a[..., 1] = c[:, None]
    a[..., 2:] = 6.0
    return a.view(-1, 4)


def to_xyxy(b):
    out = torch.empty_like(b)
    out[:, :2] = b[:, :2] - b[:, 2:] / 2
    out[:, 2:] = b[:, :2] + b[:, 2:] / 2
    return out


def iou(a, b):
    lt = torch.max(a[:, None, :2], b[None, :, :2])
    rb = torch.min(a[:, None, 2:], b[None, :, 2:])
    wh = (rb - lt).clamp_(min=0)
    inter = wh[..., 0] * wh[..., 1]
    area = lambda x: (x[:, 2] - x[:, 0]) * (x[:, 3] - x[:, 1])
    return inter / (area(a)[:, None] + area(b)[None] - inter)


def assign(gt, anchors):
    m = iou(to_xyxy(anchors), to_xyxy(gt))
    best, idx = m.max(1)
    idx[m.argmax(0)] = torch.arange(len(gt))
    best[m.argmax(0)] = 1.0
    labels = torch.zeros(len(anchors))
    labels[best > 0.5] = 1.0
    labels[(best > 0.3) & (best <= 0.5)] = -1.0
    t = gt[idx].clone()
    t[:, :2] -= anchors[:, :2]
    t[:, :2] /= anchors[:, 2:] * VAR[0]
    t[:, 2:] = torch.log(t[:, 2:] / anchors[:, 2:]) / VAR[1]
    return labels, t


class Detector(nn.Module):
    def __init__(self, ch=8):
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(1, ch, 3, 2, 1), nn.BatchNorm2d(ch), nn.ReLU(True),
                                  nn.Conv2d(ch, ch, 3, 2, 1), nn.BatchNorm2d(ch), nn.ReLU(True))
        self.cls, self.reg = nn.Conv2d(ch, 1, 1), nn.Conv2d(ch, 4, 1)
        nn.init.constant_(self.cls.bias, -2.0)
        self.scale = nn.Parameter(torch.ones(1))

    def forward(self, x):
        f = self.body(x)
        reg = self.reg(f).permute(0, 2, 3, 1).flatten(1, 2)
        reg *= self.scale
        return self.cls(f).flatten(1), reg


def multibox_loss(cls, reg, labels, targets, ratio=3):
    pos = labels == 1
    ce = F.binary_cross_entropy_with_logits(cls, labels.clamp(min=0), reduction='none')
    with torch.no_grad():
        rank = ce.clone()
        rank[labels != 0] = -1
        order = rank.argsort(1, descending=True).argsort(1)
        neg = order < ratio * pos.sum(1, keepdim=True)
        neg.logical_and_(labels == 0)
    ce[~(pos | neg)] = 0
    loc = F.smooth_l1_loss(reg[pos], targets[pos], reduction='sum')
    loss = ce.sum()
    loss += loc
    return loss / pos.sum().clamp_(min=1)


@torch.no_grad()
def detect(model, x, anchors, thr=0.1):
    cls, reg = model(x)
    b = reg[0].clone()
    b[:, :2].mul_(VAR[0]).mul_(anchors[:, 2:]).add_(anchors[:, :2])
    b[:, 2:].mul_(VAR[1]).exp_().mul_(anchors[:, 2:])
    s = cls[0].sigmoid_()
    m = iou(to_xyxy(b), to_xyxy(b))
    keep = []
    while s.max() > thr:
        i = int(s.argmax())
        keep.append(i)
        s[m[i] > 0.5] = 0
        s[i] = 0
    return b[keep]


def train(iters, n=2):
    model, anchors = Detector(), make_anchors()
    opt = torch.optim.SGD(model.parameters(), 1e-2, momentum=0.9)
    for _ in range(iters):
        img = torch.zeros(n, 1, SIZE, SIZE)
        labels, targets = [], []
        for i in range(n):
            cx, cy = torch.randint(3, SIZE - 3, (2,)).tolist()
            img[i, 0, cy - 3:cy + 3, cx - 3:cx + 3] += 1.0
            l, t = assign(torch.tensor([[cx, cy, 6.0, 6.0]]), anchors)
            labels.append(l), targets.append(t)
        loss = multibox_loss(*model(img), torch.stack(labels), torch.stack(targets))
        opt.zero_grad()
        loss.backward()
        opt.step()
    return detect(model.eval(), img[:1], anchors)


# --- driver ---
torch.manual_seed(0)
train(2)
