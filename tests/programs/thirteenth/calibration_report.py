from dataclasses import dataclass, field
from typing import List

import numpy as np
import torch
import torch.nn as nn


@dataclass
class ReliabilityReport:
    """Expected calibration error and log-loss, accumulated in numpy."""

    bins: int = 10
    eps: float = 0.05
    conf: List[np.ndarray] = field(default_factory=list)
    hit: List[np.ndarray] = field(default_factory=list)
    logloss: float = 0.0
    n: int = 0

    def add(self, probs: np.ndarray, labels: np.ndarray) -> None:
        top = probs.argmax(1)
        self.conf.append(probs.max(1))
        self.hit.append(top == labels)
        np.clip(probs, self.eps, 1 - self.eps, out=probs)  # BUG silent
        self.logloss += float(-np.log(probs[np.arange(len(labels)), labels]).sum())
        self.n += len(labels)

    def ece(self) -> float:
        c, h = np.concatenate(self.conf), np.concatenate(self.hit)
        which = np.minimum((c * self.bins).astype(int), self.bins - 1)
        total = 0.0
        for b in range(self.bins):
            m = which == b
            if m.any():
                total += m.mean() * abs(c[m].mean() - h[m].mean())
        return float(total)


class TemperatureSoftmax(nn.Module):
    def __init__(self):
        super().__init__()
        self.log_t = nn.Parameter(torch.zeros(()))

    def forward(self, logits):
        return torch.softmax(logits * torch.exp(-self.log_t), dim=1)


class PatchClassifier(nn.Module):
    def __init__(self, classes=6, dim=20):
        super().__init__()
        self.patch = nn.Conv2d(3, dim, 4, 4)
        self.query = nn.Parameter(torch.randn(dim) * 0.1)
        self.norm = nn.LayerNorm(dim)
        self.fc = nn.Linear(dim, classes)
        self.out = TemperatureSoftmax()

    def forward(self, img):
        tok = self.norm(self.patch(img).flatten(2).transpose(1, 2))
        w = (tok @ self.query).softmax(1)
        return self.out(self.fc((w[..., None] * tok).sum(1)) * 6)


def generalised_ce(probs, y, q=0.7):
    """Noise-robust loss of Zhang & Sabuncu: (1 - p_y^q) / q."""
    p = probs.gather(1, y[:, None]).squeeze(1)
    return ((1 - p.pow(q)) / q).mean()


class Experiment:
    def __init__(self, model: nn.Module, lr: float = 1e-2):
        self.model = model
        self.opt = torch.optim.SGD(model.parameters(), lr=lr, momentum=0.9)
        self.report = ReliabilityReport()

    def log(self, probs: torch.Tensor, y: torch.Tensor) -> None:
        self.report.add(probs.detach().cpu().numpy(), y.cpu().numpy())

    def step(self, img: torch.Tensor, y: torch.Tensor) -> float:
        probs = self.model(img)
        loss = generalised_ce(probs, y) + 0.01 * probs.square().sum(1).mean()
        self.log(probs, y)
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        return loss.item()


# --- driver ---
torch.manual_seed(0)
exp = Experiment(PatchClassifier())
for _ in range(4):
    print(exp.step(torch.rand(10, 3, 16, 16), torch.randint(0, 6, (10,))))
print("ece", exp.report.ece(), "logloss", exp.report.logloss / exp.report.n)
