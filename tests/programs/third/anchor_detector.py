"""Single stage detector: anchors, assignment, box coding, hard negative mining."""
import torch
import torch.nn as nn
import torch.nn.functional as F


def grid_anchors(size, stride, scales):
    c = torch.arange(stride / 2, size, stride)
    cy, cx = torch.meshgrid(c, c, indexing="ij")
    out = torch.empty(len(scales), cy.numel(), 4)
    for a, s in zip(out, scales):
        a[:, 0], a[:, 1] = cx.flatten(), cy.flatten()
        a[:, 2:] = s
    return out.flatten(0, 1)


def to_corners(b):
    b = b.clone()
    b[:, :2] -= b[:, 2:] / 2
    b[:, 2:] += b[:, :2]
    return b


def iou(a, b):
    tl, br = torch.max(a[:, None, :2], b[None, :, :2]), torch.min(a[:, None, 2:], b[None, :, 2:])
    inter = (br - tl).clamp_(min=0).prod(-1)
    area = lambda t: (t[:, 2:] - t[:, :2]).prod(-1)
    return inter / (area(a)[:, None] + area(b)[None] - inter).clamp_(min=1e-6)


@torch.no_grad()
def assign(anchors, boxes, labels, hi=0.5, lo=0.3):
    m = iou(to_corners(anchors), boxes)
    best, which = m.max(1)
    cls = labels[which] + 1
    cls[best < hi] = -1
    cls[best < lo] = 0
    force = m.argmax(0)
    cls[force] = labels + 1
    which[force] = torch.arange(len(boxes))
    gt = boxes[which].clone()
    gt[:, 2:] -= gt[:, :2]
    gt[:, :2] += gt[:, 2:] / 2
    gt[:, :2].sub_(anchors[:, :2]).div_(anchors[:, 2:])
    gt[:, 2:].div_(anchors[:, 2:]).clamp_(min=1e-3).log_()
    return cls, gt


class Head(nn.Module):
    def __init__(self, ch, anchors, classes):
        super().__init__()
        self.a, self.c = anchors, classes + 1
        self.tower = nn.Sequential(nn.Conv2d(ch, ch, 3, padding=1), nn.ReLU(inplace=True))
        self.cls, self.box = nn.Conv2d(ch, anchors * self.c, 1), nn.Conv2d(ch, anchors * 4, 1)
        self.scale = nn.Parameter(torch.ones(4))
        with torch.no_grad():
            self.cls.bias.view(anchors, self.c)[:, 0] += 2.0

    def forward(self, f):
        n = len(f)
        f = self.tower(f)
        split = lambda t, k: t.view(n, self.a, k, -1).transpose(2, 3).reshape(n, -1, k)
        box = split(self.box(f), 4) * self.scale
        box[..., 2:].clamp_(max=4.0)
        return split(self.cls(f), self.c), box


class Detector(nn.Module):
    def __init__(self, size=16, ch=6, classes=2, scales=(4.0, 8.0)):
        super().__init__()
        self.backbone = nn.Sequential(nn.Conv2d(1, ch, 3, 2, 1), nn.ReLU(inplace=True), nn.Conv2d(ch, ch, 3, 2, 1), nn.ReLU(inplace=True))
        self.head = Head(ch, len(scales), classes)
        self.register_buffer("anchors", grid_anchors(size, 4, scales))

    def loss(self, img, targets, ratio=3):
        total = 0.0
        for cls, box, (boxes, labels) in zip(*self.head(self.backbone(img)), targets):
            want, code = assign(self.anchors, boxes, labels)
            pos = want > 0
            ce = F.cross_entropy(cls, want.clamp(min=0), reduction="none")
            rank = ce.detach().clone()
            rank[want != 0] = -1.0
            order = rank.argsort(descending=True)[:ratio * int(pos.sum())]
            pick = pos.clone()
            pick[order] = True
            pick &= want >= 0
            total = total + (ce[pick].sum() + F.smooth_l1_loss(box[pos], code[pos], reduction="sum")) / pos.sum()
        return total / len(img)


# --- driver ---
torch.manual_seed(68)
det = Detector()
opt = torch.optim.SGD(det.parameters(), 0.01)
truth = (torch.tensor([[1.0, 1, 6, 6], [8, 7, 15, 14]]), torch.tensor([0, 1]))
for _ in range(2):
    opt.zero_grad()
    det.loss(torch.rand(2, 1, 16, 16), [truth, truth]).backward()
    opt.step()
