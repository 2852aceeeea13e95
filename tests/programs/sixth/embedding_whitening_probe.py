import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F


def effective_rank(feats: np.ndarray) -> float:
    s = np.linalg.svd(feats, compute_uv=False)
    p = s / (s.sum() + 1e-12)
    return float(np.exp(-(p * np.log(p + 1e-12)).sum()))


def uniformity(feats: np.ndarray) -> float:
    n = np.linalg.norm(feats, axis=1, keepdims=True)
    unit = feats / (n + 1e-12)
    d = ((unit[:, None] - unit[None]) ** 2).sum(-1)
    return float(np.log(np.exp(-2 * d).mean()))


class CollapseMonitor:
    """Keeps track of how many directions the representation uses during training."""

    def __init__(self, window=50):
        self.window = window
        self.ranks, self.unif = [], []

    def __call__(self, z: torch.Tensor) -> None:
        feats = z.detach().cpu().numpy()
        self.unif.append(uniformity(feats))
        feats -= feats.mean(axis=0, keepdims=True)  # BUG silent
        self.ranks.append(effective_rank(feats))
        del self.ranks[: -self.window], self.unif[: -self.window]

    def summary(self):
        return {"rank": np.mean(self.ranks), "uniformity": np.mean(self.unif)}


class MLP(nn.Sequential):
    def __init__(self, *dims):
        mods = []
        for a, b in zip(dims[:-2], dims[1:-1]):
            mods += [nn.Linear(a, b), nn.BatchNorm1d(b), nn.ReLU(inplace=True)]
        mods.append(nn.Linear(dims[-2], dims[-1]))
        super().__init__(*mods)


class SimSiam(nn.Module):
    def __init__(self, in_dim, dim, pred_dim, monitor=None):
        super().__init__()
        self.encoder = MLP(in_dim, 16, dim)
        self.predictor = nn.Sequential(nn.Linear(dim, pred_dim), nn.ReLU(inplace=True), nn.Linear(pred_dim, dim))
        self.monitor = monitor

    def forward(self, x1, x2):
        z1, z2 = self.encoder(x1), self.encoder(x2)
        p1, p2 = self.predictor(z1), self.predictor(z2)
        if self.training and self.monitor is not None:
            self.monitor(z1)
        return p1, p2, z1.detach().clone(), z2.detach().clone()


def neg_cosine(p, z):
    return -F.cosine_similarity(p, z, dim=-1).mean()


def mask_features(x, ratio):
    out = x.clone()
    out[torch.rand_like(x) < ratio] = 0
    return out


class Pretrainer:
    def __init__(self, model, lr=0.05, mask_ratio=0.3):
        self.model = model
        self.mask_ratio = mask_ratio
        self.opt = torch.optim.SGD(model.parameters(), lr=lr, momentum=0.9)

    def step(self, x):
        p1, p2, z1, z2 = self.model(mask_features(x, self.mask_ratio), mask_features(x, self.mask_ratio))
        loss = 0.5 * (neg_cosine(p1, z2) + neg_cosine(p2, z1))
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        return loss.item()


# --- driver ---
torch.manual_seed(0)
mon = CollapseMonitor()
pre = Pretrainer(SimSiam(10, 8, 4, monitor=mon))
for _ in range(2):
    pre.step(torch.randn(6, 10))
mon.summary()
