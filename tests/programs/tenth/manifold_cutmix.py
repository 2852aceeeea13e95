"""Image classifier regularised by CutMix at a randomly drawn depth."""
import random
from typing import Optional

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F


class Patch:
    """A rectangle in relative coordinates, with the permutation of its donors."""

    def __init__(self, batch: int, alpha: float, rng: np.random.Generator):
        lam = rng.beta(alpha, alpha)
        side = np.sqrt(1 - lam)
        self.cy, self.cx = rng.random(2)
        self.side = side
        self.perm = torch.from_numpy(rng.permutation(batch))
        self.lam = 1.0

    def window(self, h: int, w: int):
        y0, y1 = np.clip([(self.cy - self.side / 2) * h, (self.cy + self.side / 2) * h], 0, h).astype(int)
        x0, x1 = np.clip([(self.cx - self.side / 2) * w, (self.cx + self.side / 2) * w], 0, w).astype(int)
        self.lam = 1 - (y1 - y0) * (x1 - x0) / (h * w)
        return slice(y0, y1), slice(x0, x1)

    def paste(self, maps: torch.Tensor) -> torch.Tensor:
        ys, xs = self.window(*maps.shape[-2:])
        donors = maps[self.perm]
        maps[:, :, ys, xs] = donors[:, :, ys, xs]  # BUG
        return maps


class Stage(nn.Module):
    def __init__(self, cin, cout, stride):
        super().__init__()
        self.conv = nn.Conv2d(cin, cout, 3, stride, 1, bias=False)
        self.bn = nn.BatchNorm2d(cout)

    def forward(self, x):
        return F.relu(self.bn(self.conv(x)))


class MixNet(nn.Module):
    def __init__(self, classes, widths=(8, 16, 16)):
        super().__init__()
        chans = (3,) + tuple(widths)
        self.stages = nn.ModuleList(Stage(a, b, 1 + (i > 0)) for i, (a, b) in enumerate(zip(chans, chans[1:])))
        self.head = nn.Linear(widths[-1], classes)

    def forward(self, x, patch: Optional[Patch] = None, depth: int = -1):
        for i, stage in enumerate(self.stages):
            x = stage(x)
            if patch is not None and i == depth:
                x = patch.paste(x)
        return self.head(x.mean((2, 3)))


class MixTrainer:
    def __init__(self, model, lr=0.05, alpha=1.0, seed=0):
        self.model = model
        self.rng, self.pyrng = np.random.default_rng(seed), random.Random(seed)
        self.alpha = alpha
        self.opt = torch.optim.SGD(model.parameters(), lr=lr, momentum=0.9, nesterov=True)
        self.running = torch.zeros(2)

    def step(self, x, y):
        patch = Patch(len(x), self.alpha, self.rng)
        depth = self.pyrng.randrange(len(self.model.stages))
        logits = self.model(x, patch, depth)
        per = F.cross_entropy(logits, y, reduction="none")
        swapped = F.cross_entropy(logits, y[patch.perm], reduction="none")
        loss = (patch.lam * per + (1 - patch.lam) * swapped).mean()
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        self.running += torch.tensor([loss.item(), 1.0])
        return loss.item()


# --- driver ---
torch.manual_seed(14)
trainer = MixTrainer(MixNet(5))
for _ in range(4):
    trainer.step(torch.randn(8, 3, 16, 16), torch.randint(0, 5, (8,)))
