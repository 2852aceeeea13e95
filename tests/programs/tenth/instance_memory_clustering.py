"""Instance discrimination with a per-sample memory bank and pseudo-labels from k-means over it."""
from dataclasses import dataclass
from functools import cached_property

import torch
import torch.nn as nn
import torch.nn.functional as F


@dataclass
class Options:
    dim: int = 12
    clusters: int = 4
    negatives: int = 16
    momentum: float = 0.5
    temperature: float = 0.1
    epochs: int = 2
    batch: int = 8


class MemoryBank:
    def __init__(self, n, opts):
        self.rows = F.normalize(torch.randn(n, opts.dim), dim=1)
        self.opts = opts

    def contrast(self, z, idx):
        noise = torch.randint(len(self.rows), (len(idx), self.opts.negatives))
        table = self.rows[torch.cat([idx[:, None], noise], 1)]
        scores = torch.einsum("bd,bkd->bk", z, table)
        scores /= self.opts.temperature
        return scores

    @torch.no_grad()
    def refresh(self, idx, z):
        new = self.rows[idx].lerp_(z, 1 - self.opts.momentum)
        self.rows[idx] = F.normalize(new, dim=1)


class SphericalKMeans:
    def __init__(self, k, iterations=5):
        self.k, self.iterations = k, iterations
        self.centroids = None

    @torch.no_grad()
    def fit(self, rows):
        centres = rows[torch.randperm(len(rows))[: self.k]].clone()
        for _ in range(self.iterations):
            label = (rows @ centres.T).argmax(1)
            total = torch.zeros_like(centres).index_add_(0, label, rows)
            count = torch.bincount(label, minlength=self.k)
            dead = count == 0
            total[dead] = rows[torch.randint(len(rows), (int(dead.sum()),))]
            centres.copy_(F.normalize(total, dim=1))
        self.centroids = centres
        return (rows @ centres.T).argmax(1)


class AugmentedSet:
    def __init__(self, images):
        self.images = images

    def __len__(self):
        return len(self.images)

    @cached_property
    def stats(self):
        return self.images.mean(), self.images.std()

    def batches(self, size):
        mean, std = self.stats
        for idx in torch.randperm(len(self)).split(size):
            x = self.images[idx]
            x.sub_(mean).div_(std)
            flip = torch.rand(len(idx)) < 0.5
            x[flip] = x[flip].flip(-1)
            yield idx, x


class Embedder(nn.Module):
    def __init__(self, dim, ch=8):
        super().__init__()
        self.net = nn.Sequential(nn.Conv2d(1, ch, 3, 2, 1), nn.BatchNorm2d(ch), nn.ReLU(inplace=True),
                                 nn.Conv2d(ch, 2 * ch, 3, 2, 1), nn.BatchNorm2d(2 * ch), nn.ReLU(inplace=True))
        self.fc = nn.Linear(2 * ch, dim)

    def forward(self, x):
        return F.normalize(self.fc(self.net(x).mean((2, 3))), dim=1)


class Learner:
    def __init__(self, data, opts):
        self.data, self.opts = data, opts
        self.net, self.bank, self.kmeans = Embedder(opts.dim), MemoryBank(len(data), opts), SphericalKMeans(opts.clusters)
        self.opt = torch.optim.SGD(self.net.parameters(), lr=0.03, momentum=0.9, weight_decay=1e-4)

    def objective(self, z, idx, labels):
        instance = F.cross_entropy(self.bank.contrast(z, idx), torch.zeros(len(idx), dtype=torch.long))
        group = F.cross_entropy(z @ self.kmeans.centroids.T / self.opts.temperature, labels[idx])
        return instance + 0.5 * group

    def epoch(self):
        labels = self.kmeans.fit(self.bank.rows)
        total = torch.zeros(())
        for idx, x in self.data.batches(self.opts.batch):
            z = self.net(x)
            loss = self.objective(z, idx, labels)
            self.opt.zero_grad()
            loss.backward()
            self.opt.step()
            self.bank.refresh(idx, z.detach())
            total += loss.detach() * len(idx)
        return total.div_(len(self.data)).item()

    def run(self):
        return [self.epoch() for _ in range(self.opts.epochs)]


# --- driver ---
torch.manual_seed(59)
Learner(AugmentedSet(torch.rand(32, 1, 12, 12)), Options()).run()
