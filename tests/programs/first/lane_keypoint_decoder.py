"""Lane detection: row-anchor head, keypoint decoding, line IoU loss."""
from typing import NamedTuple

import torch
import torch.nn as nn
import torch.nn.functional as F


class LaneOutput(NamedTuple):
    logits: torch.Tensor
    points: torch.Tensor
    scores: torch.Tensor


class Neck(nn.Module):
    def __init__(self, chans, out):
        super().__init__()
        self.lateral = nn.ModuleList([nn.Conv2d(c, out, 1) for c in chans])
        self.smooth = nn.ModuleList([nn.Conv2d(out, out, 3, padding=1) for _ in chans])

    def forward(self, feats):
        maps = [l(f) for l, f in zip(self.lateral, feats)]
        for i in range(len(maps) - 1, 0, -1):
            maps[i - 1] += F.interpolate(maps[i], size=maps[i - 1].shape[-2:], mode='nearest')
        return [s(m) for s, m in zip(self.smooth, maps)]


class Stage(nn.Module):
    def __init__(self, a, b):
        super().__init__()
        self.conv = nn.Conv2d(a, b, 3, 2, 1, bias=False)
        self.bn = nn.BatchNorm2d(b)

    def forward(self, x):
        return F.relu_(self.bn(self.conv(x)))


class PointDecoder:
    def __init__(self, width, n_rows, max_scale=2.0):
        self.width, self.n_rows, self.max_scale = width, n_rows, max_scale
        self.rows = torch.linspace(0, 1, n_rows)

    def __call__(self, raw):
        b, n, _ = raw.shape
        start, slope, spread = raw[..., :1], raw[..., 1:2], raw[..., 2:3]
        offs = raw[..., 3:]
        width = spread.clamp(max=self.max_scale).exp()
        width = width * (self.width / 16)
        points = raw.new_zeros(b, n, self.n_rows, 2)
        points[..., 0] = torch.sigmoid(start) * self.width + slope * self.rows * self.width + width * offs
        points[..., 1] = self.rows
        return points


class LaneNet(nn.Module):
    def __init__(self, n_lanes=3, n_rows=8, ch=8, width=32):
        super().__init__()
        self.stages = nn.ModuleList([Stage(3, ch), Stage(ch, ch * 2), Stage(ch * 2, ch * 2)])
        self.neck = Neck([ch * 2, ch * 2], ch)
        self.reg, self.cls = nn.Linear(ch, n_lanes * (3 + n_rows)), nn.Linear(ch, n_lanes)
        self.decoder = PointDecoder(width, n_rows)
        self.n_lanes = n_lanes

    def forward(self, img):
        feats, x = [], img
        for s in self.stages:
            x = s(x)
            feats.append(x)
        g = self.neck(feats[1:])[0].mean(dim=(2, 3))
        raw = self.reg(g).view(img.size(0), self.n_lanes, -1)
        logits = self.cls(g)
        return LaneOutput(logits, self.decoder(raw), torch.sigmoid(logits))


def line_iou(pred, tgt, valid, radius=2.0):
    px, tx = pred[..., 0], tgt[..., 0]
    inter = torch.min(px + radius, tx + radius) - torch.max(px - radius, tx - radius)
    union = torch.max(px + radius, tx + radius) - torch.min(px - radius, tx - radius)
    inter[~valid] = 0.0
    union[~valid] = 0.0
    return inter.sum(-1) / (union.sum(-1) + 1e-6)


def lane_loss(out, target, valid):
    exists = valid.any(-1).float()
    cls = F.binary_cross_entropy_with_logits(out.logits, exists)
    iou = ((1 - line_iou(out.points, target, valid)) * exists).sum() / exists.sum().clamp(min=1)
    return cls + iou


def nms(out, threshold=0.5):
    scores = out.scores.detach().clone()
    scores[scores < threshold] = 0
    return scores.argsort(dim=1, descending=True)


# --- driver ---
net = LaneNet()
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
for _ in range(2):
    out = net(torch.randn(2, 3, 32, 32))
    nms(out)
    loss = lane_loss(out, torch.rand(2, 3, 8, 2) * 32, torch.rand(2, 3, 8) > 0.3)
    opt.zero_grad()
    loss.backward()
    opt.step()
