"""Swapped assignment between views: unit-norm prototypes, Sinkhorn codes, optional score queue, multi-crop."""
import torch
import torch.nn as nn
import torch.nn.functional as F


@torch.no_grad()
def sinkhorn(scores, eps=0.05, iterations=3):
    q = (scores / eps).exp_().T
    q /= q.sum()
    k, b = q.shape
    for _ in range(iterations):
        q /= q.sum(1, keepdim=True)
        q /= k
        q /= q.sum(0, keepdim=True)
        q /= b
    q *= b
    return q.T


class Prototypes(nn.Linear):
    def __init__(self, dim, count):
        super().__init__(dim, count, bias=False)

    @torch.no_grad()
    def renormalise(self):
        self.weight.div_(self.weight.norm(dim=1, keepdim=True))


class ScoreQueue:
    """Recent embeddings that stabilise the codes of small batches."""

    def __init__(self, size, dim):
        self.store = torch.zeros(size, dim)
        self.filled = 0

    def scores(self, protos):
        with torch.no_grad():
            return F.linear(self.store, protos.weight)

    @property
    def ready(self):
        return self.filled >= len(self.store)

    def push(self, z):
        n = len(z)
        self.store[n:] = self.store[:-n].clone()
        self.store[:n] = z
        self.filled += n


class SwAV(nn.Module):
    def __init__(self, dim=16, prototypes=10, queue=16):
        super().__init__()
        self.backbone = nn.Sequential(nn.Conv2d(3, 16, 3, 2, 1), nn.BatchNorm2d(16), nn.ReLU(inplace=True),
                                      nn.Conv2d(16, 32, 3, 2, 1), nn.ReLU(inplace=True),
                                      nn.AdaptiveAvgPool2d(1), nn.Flatten())
        self.project = nn.Sequential(nn.Linear(32, 32), nn.ReLU(inplace=True), nn.Linear(32, dim))
        self.prototypes = Prototypes(dim, prototypes)
        self.queues = [ScoreQueue(queue, dim) for _ in range(2)]

    def embed(self, crops):
        feats = torch.cat([self.backbone(c) for c in crops])
        return F.normalize(self.project(feats), dim=1)

    def codes(self, view, z, scores):
        n, queue = len(scores), self.queues[view]
        stacked = scores.detach()
        if queue.ready:
            stacked = torch.cat([stacked, queue.scores(self.prototypes)])
        queue.push(z.detach())
        return sinkhorn(stacked)[:n]

    def forward(self, crops, temperature=0.1):
        self.prototypes.renormalise()
        n = len(crops[0])
        z = self.embed(crops)
        scores = self.prototypes(z)
        z_by, s_by = z.split(n), scores.split(n)
        loss = z.new_zeros(())
        for view in range(2):
            code = self.codes(view, z_by[view], s_by[view])
            others = [s for i, s in enumerate(s_by) if i != view]
            for s in others:
                loss -= (code * F.log_softmax(s / temperature, dim=1)).sum(1).mean() / len(others)
        return loss / 2


def freeze_prototypes(model, step, until):
    if step < until:
        model.prototypes.weight.grad = None


def multi_crop(images):
    big = [images + 0.1 * torch.randn_like(images) for _ in range(2)]
    small = [F.interpolate(images[..., i:i + 8, i:i + 8], size=8) for i in (0, 4)]
    return big + small


# --- driver ---
torch.manual_seed(20)
model = SwAV()
opt = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
for step in range(4):
    loss = model(multi_crop(torch.rand(8, 3, 16, 16)))
    opt.zero_grad()
    loss.backward()
    freeze_prototypes(model, step, until=1)
    opt.step()
