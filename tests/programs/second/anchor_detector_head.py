"""One-stage detector with an anchor head decoded to pixels inside forward."""
from dataclasses import dataclass

import torch
import torch.nn as nn
import torch.nn.functional as F


@dataclass
class HeadSpec:
    classes: int = 3
    anchors: tuple = ((10.0, 13.0), (23.0, 29.0))
    stride: int = 8


def conv(cin, cout, k=3, s=1):
    return nn.Sequential(nn.Conv2d(cin, cout, k, s, k // 2, bias=False), nn.BatchNorm2d(cout), nn.SiLU(inplace=True))


class Backbone(nn.Module):
    def __init__(self, ch=8):
        super().__init__()
        self.layers = nn.Sequential(conv(3, ch, 3, 2), conv(ch, ch * 2, 3, 2), conv(ch * 2, ch * 2, 3, 2))
        self.out_channels = ch * 2

    def forward(self, x):
        return self.layers(x)


class Detect(nn.Module):
    def __init__(self, cin, spec: HeadSpec):
        super().__init__()
        self.spec = spec
        self.na, self.no = len(spec.anchors), spec.classes + 5
        self.m = nn.Conv2d(cin, self.na * self.no, 1)
        self.register_buffer("anchor_wh", torch.tensor(spec.anchors).view(1, self.na, 1, 1, 2))

    @staticmethod
    def make_grid(nx, ny):
        yv, xv = torch.meshgrid(torch.arange(ny), torch.arange(nx), indexing="ij")
        return torch.stack((xv, yv), 2).view(1, 1, ny, nx, 2).float()

    def forward(self, x):
        bs, _, ny, nx = x.shape
        raw = self.m(x).view(bs, self.na, self.no, ny, nx).permute(0, 1, 3, 4, 2)
        y = raw.contiguous().sigmoid()
        grid = self.make_grid(nx, ny)
        xy = (y[..., 0:2] * 2.0 - 0.5 + grid) * self.spec.stride
        wh = (y[..., 2:4] * 2.0).pow(2) * self.anchor_wh
        y[..., 0:4] = torch.cat([xy, wh], dim=-1)  # BUG
        return y.view(bs, -1, self.no)


def xywh2xyxy(b):
    c, s = b[..., :2], b[..., 2:4] / 2
    return torch.cat([c - s, c + s], dim=-1)


def giou(a, b, eps=1e-7):
    lt, rb = torch.max(a[:, :2], b[:, :2]), torch.min(a[:, 2:], b[:, 2:])
    wh = (rb - lt).clamp(min=0)
    inter = wh[:, 0] * wh[:, 1]
    area = lambda z: (z[:, 2] - z[:, 0]) * (z[:, 3] - z[:, 1])
    union = area(a) + area(b) - inter + eps
    c = (torch.max(a[:, 2:], b[:, 2:]) - torch.min(a[:, :2], b[:, :2])).prod(1) + eps
    return inter / union - (c - union) / c


class Detector(nn.Module):
    def __init__(self, spec=HeadSpec()):
        super().__init__()
        self.backbone = Backbone()
        self.head = Detect(self.backbone.out_channels, spec)

    def forward(self, x):
        return self.head(self.backbone(x))


def detection_loss(pred, targets):
    total = pred.new_zeros(())
    for p, (boxes, labels) in zip(pred, targets):
        centre = xywh2xyxy(p[:, :4])
        cost = torch.cdist(p[:, :2].detach(), (boxes[:, :2] + boxes[:, 2:]) / 2)
        match = cost.argmin(0)
        obj = torch.zeros(p.size(0))
        obj[match] = 1.0
        cls = F.one_hot(labels, p.size(1) - 5).float()
        total = total + (1 - giou(centre[match], boxes)).mean()
        total = total + F.binary_cross_entropy(p[:, 4], obj) + F.binary_cross_entropy(p[match, 5:], cls)
    return total / len(targets)


def train_step(model, opt, images, targets):
    loss = detection_loss(model(images), targets)
    opt.zero_grad()
    loss.backward()
    opt.step()
    return float(loss)


# --- driver ---
torch.manual_seed(0)
det = Detector()
boxes = torch.tensor([[2.0, 2.0, 14.0, 15.0], [10.0, 8.0, 30.0, 28.0]])
train_step(det, torch.optim.SGD(det.parameters(), lr=0.01), torch.rand(2, 3, 32, 32), [(boxes, torch.tensor([0, 2]))] * 2)
