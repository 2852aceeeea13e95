# FPN neck + dense per-level objectness, FCOS flavoured.
from collections import OrderedDict
import torch
import torch.nn as nn
import torch.nn.functional as F

BACKBONES = {}


def register_backbone(name):
    def deco(fn):
        BACKBONES[name] = fn
        return fn
    return deco


class Stage(nn.Sequential):
    def __init__(self, cin, cout):
        super().__init__(OrderedDict(
            conv=nn.Conv2d(cin, cout, 3, stride=2, padding=1, bias=False),
            bn=nn.BatchNorm2d(cout),
            act=nn.ReLU(inplace=True),
        ))


class TinyBackbone(nn.Module):
    def __init__(self, dims):
        super().__init__()
        ins = (3,) + tuple(dims[:-1])
        self.stages = nn.ModuleList(Stage(i, o) for i, o in zip(ins, dims))
        self.out_dims = dims

    def forward(self, x):
        feats = OrderedDict()
        for i, s in enumerate(self.stages):
            x = s(x)
            feats[f"c{i + 2}"] = x
        return feats


@register_backbone("tiny_3l")
def tiny_3l():
    return TinyBackbone((8, 16, 32))


@register_backbone("tiny_4l")
def tiny_4l():
    return TinyBackbone((8, 12, 16, 32))


class FPN(nn.Module):
    def __init__(self, dims, width=16):
        super().__init__()
        self.lateral = nn.ModuleList(nn.Conv2d(d, width, 1) for d in dims)
        self.smooth = nn.ModuleList(nn.Conv2d(width, width, 3, padding=1) for _ in dims)

    def forward(self, feats):
        laterals = [lat(f) for lat, f in zip(self.lateral, feats.values())]
        for i in range(len(laterals) - 1, 0, -1):
            laterals[i - 1] += F.interpolate(laterals[i], size=laterals[i - 1].shape[-2:], mode="nearest")
        return [s(l) for s, l in zip(self.smooth, laterals)]


class Objectness(nn.Module):
    def __init__(self, backbone, width=16):
        super().__init__()
        self.body = BACKBONES[backbone]()
        self.neck = FPN(self.body.out_dims, width)
        self.score = nn.Conv2d(width, 1, 1)
        self.level_scale = nn.Parameter(torch.ones(len(self.body.out_dims)))

    def forward(self, x):
        maps = self.neck(self.body(x))
        return [self.score(F.relu(m)) * s for m, s in zip(maps, self.level_scale)]


def paint_targets(shapes, centers, stride0=2):
    """Centre-ness one-hot per level; centers is a list of (y, x) in pixels for each image."""
    out = []
    for lvl, (h, w) in enumerate(shapes):
        t = torch.zeros(len(centers), 1, h, w)
        stride = stride0 * 2 ** lvl
        for b, pts in enumerate(centers):
            ij = (pts / stride).long()
            t[b, 0, ij[:, 0].clamp_(max=h - 1), ij[:, 1].clamp_(max=w - 1)] = 1.0
        out.append(t)
    return out


# --- driver ---
torch.manual_seed(0)
for name in BACKBONES:
    net = Objectness(name)
    opt = torch.optim.SGD(net.parameters(), lr=0.05)
    for _ in range(2):
        logits = net(torch.randn(2, 3, 48, 48))
        tgt = paint_targets([l.shape[-2:] for l in logits], [torch.rand(5, 2) * 47 for _ in range(2)])
        loss = sum(F.binary_cross_entropy_with_logits(l, t) for l, t in zip(logits, tgt))
        opt.zero_grad()
        loss.backward()
        opt.step()
    print(name, loss.item())
