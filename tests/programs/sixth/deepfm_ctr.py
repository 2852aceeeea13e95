from typing import NamedTuple, Sequence

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F


class Batch(NamedTuple):
    cats: torch.Tensor
    dense: torch.Tensor
    label: torch.Tensor


class FeatureHasher:
    def __init__(self, dims: Sequence[int]):
        self.offsets = np.zeros(len(dims), dtype=np.int64)
        np.cumsum(dims[:-1], out=self.offsets[1:])
        self.dims = np.array(dims)

    def __call__(self, raw: np.ndarray) -> torch.Tensor:
        out = raw.astype(np.int64)
        out %= self.dims
        out += self.offsets
        return torch.from_numpy(out)


class DenseScaler:
    def __init__(self, dim):
        self.mean, self.m2, self.n = torch.zeros(dim), torch.zeros(dim), 0

    def update(self, x):
        for row in x:
            self.n += 1
            d = row - self.mean
            self.mean.add_(d / self.n)
            self.m2.add_(d * (row - self.mean))

    def __call__(self, x):
        std = (self.m2 / max(1, self.n - 1)).sqrt_().clamp_(min=1e-3)
        return x.sub(self.mean).div_(std).clamp_(-5, 5)


class FM(nn.Module):
    def forward(self, emb):
        s = emb.sum(1)
        s = s.square()
        s -= emb.square().sum(1)
        return 0.5 * s.sum(1)


class CrossLayer(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.lin = nn.Linear(dim, dim)

    def forward(self, x0, x):
        out = x0 * self.lin(x)
        out += x
        return out


class DeepFM(nn.Module):
    def __init__(self, n_feat, n_fields, n_dense, dim=4, cross=2):
        super().__init__()
        self.emb, self.lin = nn.Embedding(n_feat, dim), nn.Embedding(n_feat, 1)
        self.emb.weight.data.uniform_(-0.05, 0.05)
        self.lin.weight.data.zero_()
        self.fm = FM()
        width = n_fields * dim + n_dense
        self.cross = nn.ModuleList(CrossLayer(width) for _ in range(cross))
        self.mlp = nn.Sequential(nn.Linear(width, 16), nn.ReLU(inplace=True), nn.Dropout(0.1), nn.Linear(16, 1))
        self.out = nn.Linear(width, 1)

    def forward(self, cats, dense):
        e = self.emb(cats)
        logit = self.lin(cats).sum((1, 2))
        logit += self.fm(e)
        x0 = torch.cat([e.flatten(1), dense], 1)
        x = x0
        for c in self.cross:
            x = c(x0, x)
        logit += self.out(x).squeeze(1)
        logit += self.mlp(x0).squeeze(1)
        return logit

    @torch.no_grad()
    def renorm(self, ids, max_norm=0.1):
        ids = ids.unique()
        rows = self.emb.weight[ids]
        norm = rows.norm(dim=1, keepdim=True).clamp_(min=max_norm)
        self.emb.weight[ids] = rows.mul_(max_norm / norm)


class StreamingAUC:
    def __init__(self, bins=20):
        self.pos, self.neg = torch.zeros(bins), torch.zeros(bins)

    def update(self, logit, y):
        b = logit.detach().sigmoid().mul_(len(self.pos)).long().clamp_(max=len(self.pos) - 1)
        self.pos.scatter_add_(0, b, y)
        self.neg.scatter_add_(0, b, 1 - y)


def train(model, scaler, batches):
    opt, auc = torch.optim.Adagrad(model.parameters(), lr=0.05), StreamingAUC()
    for b in batches:
        scaler.update(b.dense)
        logit = model(b.cats, scaler(b.dense))
        loss = F.binary_cross_entropy_with_logits(logit, b.label)
        opt.zero_grad()
        loss.backward()
        opt.step()
        model.renorm(b.cats)
        auc.update(logit, b.label)
    return auc


# --- driver ---
torch.manual_seed(0)
rng = np.random.default_rng(0)
hasher = FeatureHasher([5, 7, 4])
batches = [Batch(hasher(rng.integers(0, 1000, (6, 3))), torch.randn(6, 2), torch.randint(0, 2, (6,)).float()) for _ in range(2)]
train(DeepFM(16, 3, 2), DenseScaler(2), batches)
