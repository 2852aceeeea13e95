import math
from typing import Callable, Dict, List

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F


class Callback:
    def on_features(self, step: int, feats: torch.Tensor, labels: torch.Tensor) -> None:
        pass

    def on_loss(self, step: int, loss: float) -> None:
        pass


class LossLog(Callback):
    def __init__(self):
        self.values: List[float] = []

    def on_loss(self, step, loss):
        self.values.append(loss)


class ProjectorLog(Callback):
    """Collects centred, unit-length class centroids for the embedding projector."""

    def __init__(self, every: int = 1):
        self.every = every
        self.centroids: Dict[int, np.ndarray] = {}

    def on_features(self, step, feats, labels):
        if step % self.every:
            return
        arr = feats.detach().cpu().numpy()
        arr -= arr.mean(axis=0, keepdims=True)  # BUG silent
        norms = np.linalg.norm(arr, axis=1, keepdims=True) + 1e-8
        unit = arr / norms
        for c in np.unique(labels.numpy()):
            self.centroids[int(c)] = unit[labels.numpy() == c].mean(0)


class ArcFace(nn.Module):
    def __init__(self, dim: int, classes: int, s: float = 8.0, m: float = 0.2):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(classes, dim))
        self.s, self.cos_m, self.sin_m = s, math.cos(m), math.sin(m)

    def forward(self, feats, labels):
        cos = F.linear(F.normalize(feats), F.normalize(self.weight)).clamp(-0.999, 0.999)
        phi = cos * self.cos_m - (1 - cos.pow(2)).sqrt() * self.sin_m
        hot = torch.zeros_like(cos).scatter_(1, labels[:, None], 1.0)
        return self.s * (hot * phi + (1 - hot) * cos)


class FaceNet(nn.Module):
    def __init__(self, dim: int = 6):
        super().__init__()
        self.conv = nn.Sequential(nn.Conv2d(1, 4, 3, 2, 1), nn.BatchNorm2d(4), nn.PReLU(4))
        self.fc = nn.Linear(4 * 16, dim)

    def forward(self, x):
        return self.fc(self.conv(x).flatten(1))


class Trainer:
    def __init__(self, model: nn.Module, head: nn.Module, make_opt: Callable, callbacks: List[Callback]):
        self.model, self.head, self.callbacks = model, head, callbacks
        self.opt = make_opt([*model.parameters(), *head.parameters()])

    def step(self, i, x, y):
        feats = self.model(x)
        loss = F.cross_entropy(self.head(feats, y), y)
        for cb in self.callbacks:
            cb.on_features(i, feats, y)
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        for cb in self.callbacks:
            cb.on_loss(i, loss.item())


# --- driver ---
torch.manual_seed(30)
tr = Trainer(FaceNet(), ArcFace(6, 3), lambda p: torch.optim.SGD(p, lr=0.05), [LossLog(), ProjectorLog()])
for i in range(2):
    tr.step(i, torch.randn(6, 1, 8, 8) + 1, torch.tensor([0, 1, 2, 0, 1, 2]))
