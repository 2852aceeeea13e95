from collections import OrderedDict
from typing import Dict, List

import torch
import torch.nn as nn
import torch.nn.functional as F


def conv_gn(i, o, k=3, s=1):
    return nn.Sequential(nn.Conv2d(i, o, k, s, k // 2, bias=False), nn.GroupNorm(2, o), nn.ReLU(inplace=True))


class Backbone(nn.Module):
    def __init__(self, widths):
        super().__init__()
        self.stages = nn.ModuleList()
        cin = 3
        for w in widths:
            self.stages.append(conv_gn(cin, w, s=2))
            cin = w

    def forward(self, x) -> "OrderedDict[str, torch.Tensor]":
        out = OrderedDict()
        for i, s in enumerate(self.stages):
            x = s(x)
            out[f"c{i + 2}"] = x
        return out


class FPN(nn.Module):
    def __init__(self, widths, dim, n_cls):
        super().__init__()
        self.lateral = nn.ModuleList(nn.Conv2d(w, dim, 1) for w in widths)
        self.smooth = nn.ModuleList(nn.Conv2d(dim, dim, 3, padding=1) for _ in widths)
        self.aux = nn.ModuleList(nn.Conv2d(dim, n_cls, 1) for _ in widths)

    def forward(self, feats: Dict[str, torch.Tensor]):
        levels: List[torch.Tensor] = [l(f) for l, f in zip(self.lateral, feats.values())]
        aux = [head(x) for head, x in zip(self.aux, levels)]
        for i in range(len(levels) - 1, 0, -1):
            up = F.interpolate(levels[i], size=levels[i - 1].shape[-2:], mode="nearest")
            levels[i - 1] += up  # BUG
        return [s(x) for s, x in zip(self.smooth, levels)], aux


class SegModel(nn.Module):
    def __init__(self, widths=(4, 8, 8), dim=8, n_cls=3):
        super().__init__()
        self.backbone = Backbone(widths)
        self.fpn = FPN(widths, dim, n_cls)
        self.head = nn.Conv2d(dim, n_cls, 1)

    def forward(self, img):
        pyramid, aux = self.fpn(self.backbone(img))
        size = img.shape[-2:]
        main = F.interpolate(self.head(pyramid[0]), size=size, mode="bilinear", align_corners=False)
        return main, [F.interpolate(a, size=size) for a in aux]


class SegLoss:
    def __init__(self, aux_weight=0.4, ignore=255):
        self.aux_weight, self.ignore = aux_weight, ignore

    def __call__(self, outputs, target):
        main, aux = outputs
        loss = F.cross_entropy(main, target, ignore_index=self.ignore)
        for a in aux:
            loss = loss + self.aux_weight * F.cross_entropy(a, target, ignore_index=self.ignore)
        return loss


def squares(n, size=16):
    img = torch.rand(n, 3, size, size)
    lab = torch.zeros(n, size, size, dtype=torch.long)
    for i in range(n):
        c = int(torch.randint(1, 3, ()))
        a, b = torch.randint(0, size // 2, (2,)).tolist()
        img[i, c, a:a + 6, b:b + 6] += 1
        lab[i, a:a + 6, b:b + 6] = c
    lab[:, 0] = 255
    return img, lab


def miou(pred, target, n_cls=3):
    valid = target != 255
    hist = torch.bincount(target[valid] * n_cls + pred[valid], minlength=n_cls ** 2).view(n_cls, n_cls)
    return (hist.diag() / (hist.sum(0) + hist.sum(1) - hist.diag()).clamp(min=1)).mean()


def train(model, iters, lr=0.01):
    crit = SegLoss()
    opt = torch.optim.SGD(model.parameters(), lr=lr, momentum=0.9)
    for _ in range(iters):
        img, lab = squares(2)
        out = model(img)
        loss = crit(out, lab)
        opt.zero_grad()
        loss.backward()
        opt.step()
    return miou(out[0].argmax(1), lab).item()


# --- driver ---
torch.manual_seed(0)
train(SegModel(), 1)
