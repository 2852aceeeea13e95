"""Feature level CutMix at a randomly chosen stage."""
import random
from typing import Tuple

import numpy as np
import torch
from torch import Tensor, nn


def rand_bbox(h: int, w: int, lam: float) -> Tuple[int, int, int, int]:
    ratio = np.sqrt(1.0 - lam)
    ch, cw = max(1, int(h * ratio)), max(1, int(w * ratio))
    cy, cx = np.random.randint(h), np.random.randint(w)
    y1, y2 = np.clip([cy - ch // 2, cy + (ch + 1) // 2], 0, h)
    x1, x2 = np.clip([cx - cw // 2, cx + (cw + 1) // 2], 0, w)
    return int(y1), int(y2), int(x1), int(x2)


class MixState:
    """What the loss needs to know about the last mix."""

    def __init__(self):
        self.perm = None
        self.lam = 1.0

    def reset(self):
        self.__init__()


class MixMixin:
    mix_alpha = 1.0

    def maybe_mix(self, h: Tensor, stage: int) -> Tensor:
        if not self.training or stage != self.mix_stage:
            return h
        lam = float(np.random.beta(self.mix_alpha, self.mix_alpha))
        perm = torch.randperm(h.shape[0])
        y1, y2, x1, x2 = rand_bbox(h.shape[2], h.shape[3], lam)
        h[:, :, y1:y2, x1:x2] = h[perm][:, :, y1:y2, x1:x2]  # BUG
        self.mix.perm = perm
        self.mix.lam = 1 - (y2 - y1) * (x2 - x1) / (h.shape[2] * h.shape[3])
        return h


class StagedNet(MixMixin, nn.Module):
    def __init__(self, classes: int, widths=(4, 8)):
        super().__init__()
        chans = [3, *widths]
        self.stages = nn.ModuleList(
            nn.Sequential(nn.Conv2d(a, b, 3, stride=2, padding=1), nn.BatchNorm2d(b), nn.ReLU())
            for a, b in zip(chans, chans[1:])
        )
        self.fc = nn.Linear(chans[-1], classes)
        self.mix = MixState()
        self.mix_stage = 0

    def forward(self, x: Tensor) -> Tensor:
        self.mix.reset()
        self.mix_stage = random.randrange(len(self.stages))
        for i, stage in enumerate(self.stages):
            x = self.maybe_mix(stage(x), i)
        return self.fc(x.mean((2, 3)))


def mixed_loss(model: StagedNet, x: Tensor, y: Tensor) -> Tensor:
    logits = model(x)
    ce = nn.functional.cross_entropy
    if model.mix.perm is None:
        return ce(logits, y)
    lam = model.mix.lam
    return lam * ce(logits, y) + (1 - lam) * ce(logits, y[model.mix.perm])


# --- driver ---
torch.manual_seed(26); random.seed(26); np.random.seed(26)
net = StagedNet(4)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
opt.zero_grad()
mixed_loss(net, torch.randn(4, 3, 16, 16), torch.randint(0, 4, (4,))).backward()
opt.step()
