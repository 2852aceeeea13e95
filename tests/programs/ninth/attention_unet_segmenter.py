"""Small encoder/decoder segmenter with gated skip connections."""
from dataclasses import dataclass, field
from typing import List

import torch
import torch.nn as nn
import torch.nn.functional as F


@dataclass
class SegConfig:
    in_channels: int = 3
    widths: List[int] = field(default_factory=lambda: [8, 16, 32])
    num_classes: int = 4
    dice_weight: float = 0.5


class DoubleConv(nn.Module):
    def __init__(self, cin, cout):
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(cin, cout, 3, padding=1, bias=False),
            nn.BatchNorm2d(cout),
            nn.ReLU(inplace=True),
            nn.Conv2d(cout, cout, 3, padding=1, bias=False),
            nn.BatchNorm2d(cout),
            nn.ReLU(inplace=True),
        )

    def forward(self, x):
        return self.body(x)


class FuseUp(nn.Module):
    def __init__(self, cin, cskip):
        super().__init__()
        self.reduce = nn.Conv2d(cin, cskip, 1)
        self.refine = DoubleConv(cskip, cskip)

    def forward(self, x, skip):
        x = F.interpolate(self.reduce(x), size=skip.shape[-2:], mode="bilinear", align_corners=False)
        skip += x  # BUG
        return self.refine(skip)


class Segmenter(nn.Module):
    def __init__(self, cfg: SegConfig):
        super().__init__()
        self.cfg = cfg
        chans = [cfg.in_channels] + cfg.widths
        self.encoders = nn.ModuleList(DoubleConv(a, b) for a, b in zip(chans[:-1], chans[1:]))
        rev = cfg.widths[::-1]
        self.decoders = nn.ModuleList(FuseUp(a, b) for a, b in zip(rev[:-1], rev[1:]))
        self.head = nn.Conv2d(cfg.widths[0], cfg.num_classes, 1)

    def forward(self, x):
        feats = []
        for i, enc in enumerate(self.encoders):
            if i:
                x = F.max_pool2d(x, 2)
            x = enc(x)
            feats.append(x)
        for dec, skip in zip(self.decoders, feats[-2::-1]):
            x = dec(x, skip)
        return self.head(x)


def dice_loss(logits, target, eps=1e-6):
    probs = logits.softmax(1)
    onehot = torch.zeros_like(probs).scatter_(1, target[:, None], 1.0)
    inter = (probs * onehot).sum((2, 3))
    union = probs.sum((2, 3)) + onehot.sum((2, 3))
    return 1 - ((2 * inter + eps) / (union + eps)).mean()


def train_step(model, opt, img, mask):
    logits = model(img)
    loss = F.cross_entropy(logits, mask) + model.cfg.dice_weight * dice_loss(logits, mask)
    opt.zero_grad()
    loss.backward()
    opt.step()
    return loss.item()


# --- driver ---
torch.manual_seed(0)
net = Segmenter(SegConfig())
optim = torch.optim.SGD(net.parameters(), lr=0.1)
print(train_step(net, optim, torch.randn(2, 3, 16, 16), torch.randint(0, 4, (2, 16, 16))))
