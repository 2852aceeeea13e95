"""Monotone calibration network: weights on the score path are kept non-negative."""
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F


class MonotoneLinear(nn.Linear):
    def clip(self):
        self.weight.data.clamp_(min=0)  # BUG silent


class Calibrator(nn.Module):
    def __init__(self, n_ctx, hidden=8):
        super().__init__()
        self.score_in = MonotoneLinear(1, hidden)
        self.score_mid = MonotoneLinear(hidden, hidden)
        self.score_out = MonotoneLinear(hidden, 1)
        self.context = nn.Sequential(nn.Linear(n_ctx, hidden), nn.ReLU(inplace=True), nn.Linear(hidden, 1))

    @property
    def monotone_layers(self):
        return [m for m in self.modules() if isinstance(m, MonotoneLinear)]

    def forward(self, score, ctx):
        h = torch.tanh(self.score_in(score.unsqueeze(1)))
        h = torch.tanh(self.score_mid(h))
        out = self.score_out(h)
        out += self.context(ctx)
        return out.squeeze(1)

    def clip(self):
        for m in self.monotone_layers:
            m.clip()


class ReliabilityDiagram:
    def __init__(self, bins=5):
        self.bins = bins
        self.reset()

    def reset(self):
        self.conf = torch.zeros(self.bins)
        self.acc = torch.zeros(self.bins)
        self.count = torch.zeros(self.bins)

    @torch.no_grad()
    def update(self, prob, label):
        idx = (prob * self.bins).long().clamp_(0, self.bins - 1)
        self.conf.index_add_(0, idx, prob)
        self.acc.index_add_(0, idx, label)
        self.count.index_add_(0, idx, torch.ones_like(prob))

    def ece(self):
        n = self.count.clamp(min=1)
        gap = (self.conf / n - self.acc / n).abs_()
        return float((gap * self.count).sum() / self.count.sum())


def simulate(n, n_ctx, seed):
    rng = np.random.default_rng(seed)
    score = rng.normal(size=n).astype(np.float32)
    ctx = rng.normal(size=(n, n_ctx)).astype(np.float32)
    p = 1 / (1 + np.exp(-(2 * score + 0.5 * ctx[:, 0])))
    label = (rng.uniform(size=n) < p).astype(np.float32)
    return tuple(torch.from_numpy(a) for a in (score, ctx, label))


class CalibrationTrainer:
    def __init__(self, net, lr=0.05, l2=1e-3):
        self.net, self.l2 = net, l2
        self.opt = torch.optim.SGD(net.parameters(), lr=lr, momentum=0.9)
        self.diagram = ReliabilityDiagram()

    def smoothness(self):
        return sum(m.weight.pow(2).sum() for m in self.net.monotone_layers)

    def step(self, score, ctx, label):
        logit = self.net(score, ctx)
        loss = F.binary_cross_entropy_with_logits(logit, label) + self.l2 * self.smoothness()
        self.net.clip()
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        self.diagram.update(logit.detach().sigmoid(), label)
        return loss.item()


# --- driver ---
torch.manual_seed(0)
trainer = CalibrationTrainer(Calibrator(3))
for i in range(2):
    trainer.step(*simulate(16, 3, seed=i))
trainer.diagram.ece()
