from collections import OrderedDict

import torch
import torch.nn as nn
import torch.nn.functional as F


def conv_act(c_in, c_out, k=3, s=1):
    return nn.Sequential(
        nn.Conv2d(c_in, c_out, k, stride=s, padding=k // 2),
        nn.ReLU(inplace=True),
    )


class Backbone(nn.Module):
    channels = (8, 8, 8)

    def __init__(self):
        super().__init__()
        c = 3
        self.levels = nn.ModuleList()
        for w in self.channels:
            self.levels.append(conv_act(c, w, s=2))
            c = w

    def forward(self, x):
        outs = []
        for lvl in self.levels:
            x = lvl(x)
            outs.append(x)
        return outs


class TopDownNeck(nn.Module):
    """Lightweight neck: lateral projections are dropped when the widths already agree."""

    def __init__(self, in_channels, width):
        super().__init__()
        self.laterals = nn.ModuleList(
            nn.Identity() if c == width else nn.Conv2d(c, width, 1) for c in in_channels
        )
        self.smooth = nn.ModuleList(nn.Conv2d(width, width, 3, padding=1) for _ in in_channels)

    def forward(self, feats):
        laterals = [lat(f) for lat, f in zip(self.laterals, feats)]
        for i in range(len(laterals) - 1, 0, -1):
            size = laterals[i - 1].shape[-2:]
            laterals[i - 1] += F.interpolate(laterals[i], size=size, mode="nearest")  # BUG
        return OrderedDict((f"p{i}", s(l)) for i, (s, l) in enumerate(zip(self.smooth, laterals)))


class DenseHead(nn.Module):
    def __init__(self, width, num_classes, prior=0.01):
        super().__init__()
        self.cls = nn.Conv2d(width, num_classes, 3, padding=1)
        self.reg = nn.Conv2d(width, 4, 3, padding=1)
        nn.init.constant_(self.cls.bias, -4.6 if prior == 0.01 else 0.0)

    def forward(self, feats):
        cls, reg = [], []
        for f in feats.values():
            cls.append(self.cls(f).flatten(2))
            reg.append(self.reg(f).flatten(2))
        return torch.cat(cls, -1), torch.cat(reg, -1)


class Detector(nn.Module):
    def __init__(self, num_classes=3, width=8):
        super().__init__()
        self.backbone = Backbone()
        self.neck = TopDownNeck(self.backbone.channels, width)
        self.head = DenseHead(width, num_classes)

    def forward(self, images):
        return self.head(self.neck(self.backbone(images)))


def build_targets(labels, cls_logits):
    target = torch.zeros_like(cls_logits)
    target.scatter_(1, labels.view(-1, 1, 1).expand(-1, 1, cls_logits.shape[-1]), 1.0)
    return target


def detection_loss(cls_logits, reg, labels, boxes):
    target = build_targets(labels, cls_logits)
    cls_loss = F.binary_cross_entropy_with_logits(cls_logits, target)
    reg_loss = F.smooth_l1_loss(reg, boxes.unsqueeze(-1).expand_as(reg))
    return {"cls": cls_loss, "reg": reg_loss}


# --- driver ---
torch.manual_seed(1)
model = Detector()
opt = torch.optim.SGD(model.parameters(), lr=0.01)
out = model(torch.randn(2, 3, 32, 32))
losses = detection_loss(*out, torch.tensor([0, 2]), torch.rand(2, 4))
sum(losses.values()).backward()
opt.step()
