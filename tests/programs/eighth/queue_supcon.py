from typing import Tuple

import torch
from torch import Tensor, nn
import torch.nn.functional as F


class RingMemory(nn.Module):
    """Circular store of embeddings and their labels."""

    feats: Tensor
    labels: Tensor

    def __init__(self, size: int, dim: int):
        super().__init__()
        self.register_buffer("feats", torch.zeros(size, dim))
        self.register_buffer("labels", torch.full((size,), -1, dtype=torch.long))
        self.cursor = 0

    @torch.no_grad()
    def push(self, z: Tensor, y: Tensor) -> None:
        idx = torch.arange(self.cursor, self.cursor + z.size(0)).remainder_(self.feats.size(0))
        self.feats[idx] = z
        self.labels[idx] = y
        self.cursor = int(idx[-1]) + 1

    def snapshot(self) -> Tuple[Tensor, Tensor]:
        return self.feats.clone(), self.labels.clone()


class SupConLoss(nn.Module):
    def __init__(self, tau: float = 0.1):
        super().__init__()
        self.tau = tau

    def forward(self, z, y, bank, bank_y):
        keys = torch.cat([z, bank])
        ky = torch.cat([y, bank_y])
        sim = z @ keys.t()
        sim.div_(self.tau)
        n = z.size(0)
        blocked = ky.lt(0).repeat(n, 1)
        blocked[:, :n].fill_diagonal_(True)
        sim.masked_fill_(blocked, -1e9)
        log_p = sim.log_softmax(1)
        pos = y[:, None].eq(ky[None]).logical_and_(~blocked)
        count = pos.sum(1).clamp_(min=1)
        return -((log_p * pos).sum(1) / count).mean()


class Prototypes(nn.Module):
    def __init__(self, classes: int, dim: int, momentum: float = 0.9):
        super().__init__()
        self.momentum = momentum
        self.register_buffer("proto", torch.zeros(classes, dim))
        self.register_buffer("seen", torch.zeros(classes, dtype=torch.bool))

    @torch.no_grad()
    def update(self, z, y):
        for c in y.unique():
            mean = z[y == c].mean(0)
            if self.seen[c]:
                self.proto[c].mul_(self.momentum).add_(mean, alpha=1 - self.momentum)
            else:
                self.proto[c] = mean
                self.seen[c] = True

    def classify(self, z):
        score = z @ self.proto.t()
        score[:, ~self.seen] = float("-inf")
        return score.argmax(1)


class GlyphEncoder(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.net = nn.Sequential(
            nn.Conv2d(1, 6, 3, 2, 1), nn.BatchNorm2d(6), nn.ReLU(inplace=True),
            nn.Conv2d(6, 12, 3, 2, 1), nn.BatchNorm2d(12), nn.ReLU(inplace=True), nn.Flatten(1), nn.Linear(48, dim))

    def forward(self, x):
        return F.normalize(self.net(x), dim=1)


def glyphs(n, classes):
    y = torch.randint(0, classes, (n,))
    x = torch.zeros(n, 1, 8, 8)
    for i, c in enumerate(y.tolist()):
        x[i, 0, c:c + 2] += 1.0
        x[i, 0, :, 2 * c] += 1.0
    return x.add_(torch.randn_like(x), alpha=0.1), y


def train(encoder, steps, classes=3, batch=6, dim=8):
    memory, protos, crit = RingMemory(16, dim), Prototypes(classes, dim), SupConLoss()
    opt = torch.optim.SGD(encoder.parameters(), lr=0.05, momentum=0.9)
    acc = []
    for _ in range(steps):
        x, y = glyphs(batch, classes)
        z = encoder(x)
        bank, bank_y = memory.snapshot()
        loss = crit(z, y, bank, bank_y)
        memory.push(z.detach(), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        protos.update(z.detach(), y)
        with torch.no_grad():
            acc.append((protos.classify(encoder(x)) == y).float().mean().item())
    return acc


# --- driver ---
torch.manual_seed(0)
train(GlyphEncoder(8), steps=3)
