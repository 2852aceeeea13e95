from typing import Dict, List, Sequence

import torch
from torch import nn
from torch.nn import functional as F

NECKS: Dict[str, type] = {}


def neck(cls):
    NECKS[cls.__name__.lower()] = cls
    return cls


class ConvModule(nn.Module):
    def __init__(self, cin, cout, k=1, s=1, act=True):
        super().__init__()
        self.conv = nn.Conv2d(cin, cout, k, s, k // 2, bias=not act)
        self.bn = nn.BatchNorm2d(cout) if act else nn.Identity()
        self.act = nn.ReLU(inplace=True) if act else nn.Identity()

    def forward(self, x):
        return self.act(self.bn(self.conv(x)))


class Backbone(nn.Module):
    def __init__(self, widths: Sequence[int]):
        super().__init__()
        chans = [3, *widths]
        self.stages = nn.ModuleList(ConvModule(a, b, 3, 2) for a, b in zip(chans, chans[1:]))

    def forward(self, x) -> List[torch.Tensor]:
        outs = []
        for s in self.stages:
            x = s(x)
            outs.append(x)
        return outs


@neck
class FPN(nn.Module):
    def __init__(self, widths, out):
        super().__init__()
        self.lateral = nn.ModuleList(ConvModule(w, out, act=False) for w in widths)
        self.smooth = nn.ModuleList(ConvModule(out, out, 3, act=False) for _ in widths)

    def forward(self, feats):
        lat = [l(f) for l, f in zip(self.lateral, feats)]
        for i in range(len(lat) - 1, 0, -1):
            lat[i - 1] += F.interpolate(lat[i], size=lat[i - 1].shape[-2:], mode="nearest")
        return [s(l) for s, l in zip(self.smooth, lat)]


@neck
class PAN(FPN):
    def __init__(self, widths, out):
        super().__init__(widths, out)
        self.down = nn.ModuleList(ConvModule(out, out, 3, 2, act=False) for _ in widths[1:])
        self.fuse = nn.ModuleList(ConvModule(out, out, 3) for _ in widths[1:])

    def forward(self, feats):
        outs = super().forward(feats)
        results = [o for o in outs]
        refined = [outs[0]] + [f(o) for f, o in zip(self.fuse, outs[1:])]
        for i, d in enumerate(self.down):
            results[i + 1] += d(refined[i])  # BUG
            refined[i + 1] = refined[i + 1] + results[i + 1]
        return refined


class HeatmapHead(nn.Module):
    def __init__(self, ch, joints):
        super().__init__()
        self.pred = nn.Conv2d(ch, joints, 1)
        nn.init.normal_(self.pred.weight, std=0.01)
        nn.init.constant_(self.pred.bias, -2.0)

    def forward(self, feats):
        return [self.pred(f) for f in feats]


def gaussian_targets(kpts, hw, stride, sigma=1.0):
    h, w = hw
    ys, xs = torch.arange(h).float()[:, None], torch.arange(w).float()[None]
    hm = torch.zeros(*kpts.shape[:2], h, w)
    for b in range(kpts.size(0)):
        for j in range(kpts.size(1)):
            x, y = (kpts[b, j] / stride).tolist()
            hm[b, j] = torch.exp(-((ys - y) ** 2 + (xs - x) ** 2) / (2 * sigma ** 2))
    return hm


class KeypointNet(nn.Module):
    def __init__(self, joints=3, widths=(6, 8, 10), ch=8, neck_name="pan"):
        super().__init__()
        self.backbone = Backbone(widths)
        self.neck = NECKS[neck_name](widths, ch)
        self.head = HeatmapHead(ch, joints)

    def loss(self, img, kpts):
        maps = self.head(self.neck(self.backbone(img)))
        total = 0.0
        for m in maps:
            t = gaussian_targets(kpts, m.shape[-2:], img.size(-1) / m.size(-1))
            total = total + F.mse_loss(m.sigmoid(), t)
        return total


def train_iters(model, n, size=16, joints=3):
    opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
    for _ in range(n):
        loss = model.loss(torch.randn(2, 3, size, size), torch.rand(2, joints, 2) * size)
        opt.zero_grad()
        loss.backward()
        opt.step()
    return float(loss)


# --- driver ---
torch.manual_seed(0)
train_iters(KeypointNet(), 2)
