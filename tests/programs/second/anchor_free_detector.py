"""FCOS-like anchor-free detector; decoded boxes are assembled into one output tensor."""
import torch
import torch.nn as nn
import torch.nn.functional as F


class Scale(nn.Module):
    def __init__(self, v=1.0):
        super().__init__()
        self.v = nn.Parameter(torch.tensor(v))

    def forward(self, x):
        return x * self.v


class FPN(nn.Module):
    def __init__(self, ch):
        super().__init__()
        self.c1 = nn.Conv2d(3, ch, 3, 4, 1)
        self.c2 = nn.Conv2d(ch, ch, 3, 2, 1)
        self.lat1, self.lat2 = nn.Conv2d(ch, ch, 1), nn.Conv2d(ch, ch, 1)
        self.smooth = nn.Conv2d(ch, ch, 3, padding=1)

    def forward(self, x):
        f1 = F.relu_(self.c1(x))
        f2 = F.relu_(self.c2(f1))
        p2 = self.lat2(f2)
        p1 = self.lat1(f1)
        p1 += F.interpolate(p2, scale_factor=2, mode="nearest")
        return [self.smooth(p1), p2]


class Head(nn.Module):
    def __init__(self, ch, classes, strides):
        super().__init__()
        self.cls_tower = nn.Sequential(nn.Conv2d(ch, ch, 3, padding=1), nn.GroupNorm(2, ch), nn.ReLU(inplace=True))
        self.reg_tower = nn.Sequential(nn.Conv2d(ch, ch, 3, padding=1), nn.GroupNorm(2, ch), nn.ReLU(inplace=True))
        self.cls, self.reg, self.ctr = nn.Conv2d(ch, classes, 1), nn.Conv2d(ch, 4, 1), nn.Conv2d(ch, 1, 1)
        self.scales = nn.ModuleList(Scale() for _ in strides)
        self.strides, self.classes = strides, classes

    @staticmethod
    def points(h, w, s):
        ys, xs = torch.meshgrid(torch.arange(h), torch.arange(w), indexing="ij")
        pts = torch.stack([xs, ys], -1).view(-1, 2).float()
        pts.mul_(s).add_(s / 2)
        return pts

    def level(self, f, i):
        b, _, h, w = f.shape
        ct, rt = self.cls_tower(f), self.reg_tower(f)
        ltrb = self.scales[i](self.reg(rt)).exp().flatten(2).transpose(1, 2) * self.strides[i]
        pts = self.points(h, w, self.strides[i])
        out = f.new_empty(b, h * w, 5 + self.classes)
        out[..., 0:2] = pts - ltrb[..., :2]
        out[..., 2:4] = pts + ltrb[..., 2:]
        out[..., 4:5] = self.ctr(rt).flatten(2).transpose(1, 2)
        out[..., 5:] = self.cls(ct).flatten(2).transpose(1, 2)
        return out, pts

    def forward(self, feats):
        outs, pts = zip(*[self.level(f, i) for i, f in enumerate(feats)])
        return torch.cat(outs, 1), torch.cat(pts, 0)


class FCOS(nn.Module):
    def __init__(self, ch=8, classes=3):
        super().__init__()
        self.fpn, self.head = FPN(ch), Head(ch, classes, (4, 8))

    def forward(self, x):
        return self.head(self.fpn(x))


@torch.no_grad()
def assign(pts, boxes, labels, classes):
    cls_t = torch.zeros(pts.size(0), classes)
    owner = torch.full((pts.size(0),), -1)
    area = (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])
    for j in area.argsort(descending=True).tolist():
        x0, y0, x1, y1 = boxes[j]
        inside = (pts[:, 0] > x0) & (pts[:, 0] < x1) & (pts[:, 1] > y0) & (pts[:, 1] < y1)
        owner[inside] = j
    pos = owner >= 0
    cls_t[pos, labels[owner[pos]]] = 1.0
    return cls_t, owner, pos


def loss_fn(out, pts, targets, classes=3):
    total = 0.0
    for o, (boxes, labels) in zip(out, targets):
        cls_t, owner, pos = assign(pts, boxes, labels, classes)
        total = total + F.binary_cross_entropy_with_logits(o[:, 5:], cls_t)
        if pos.any():
            total = total + F.smooth_l1_loss(o[pos, :4], boxes[owner[pos]]) / 8
            total = total + F.binary_cross_entropy_with_logits(o[pos, 4], torch.ones(int(pos.sum())))
    return total / len(targets)


def fit(model, data):
    opt = torch.optim.SGD(model.parameters(), lr=1e-3, momentum=0.9)
    for images, targets in data:
        loss = loss_fn(*model(images), targets)
        opt.zero_grad()
        loss.backward()
        opt.step()


# --- driver ---
torch.manual_seed(0)
boxes = torch.tensor([[2.0, 2.0, 20.0, 18.0], [8.0, 8.0, 28.0, 30.0]])
fit(FCOS(), [(torch.rand(2, 3, 32, 32), [(boxes, torch.tensor([0, 2]))] * 2)] * 2)
