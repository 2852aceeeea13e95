from collections import deque
from contextlib import contextmanager
from dataclasses import dataclass

import torch
import torch.nn as nn
import torch.nn.functional as F


@dataclass
class EMAConfig:
    decay: float = 0.99
    warmup: bool = True
    update_every: int = 1


class ParamEMA:
    def __init__(self, module: nn.Module, cfg: EMAConfig):
        self.cfg = cfg
        self.shadow = {n: p.detach().clone() for n, p in module.named_parameters()}
        self.backup = {}
        self.updates = 0

    def _decay(self):
        if not self.cfg.warmup:
            return self.cfg.decay
        return min(self.cfg.decay, (1 + self.updates) / (10 + self.updates))

    def update(self, module):
        self.updates += 1
        if self.updates % self.cfg.update_every:
            return
        d = self._decay()
        with torch.no_grad():
            for n, p in module.named_parameters():
                self.shadow[n].mul_(d).add_(p, alpha=1 - d)

    @contextmanager
    def applied(self, module):
        for n, p in module.named_parameters():
            self.backup[n] = p.detach().clone()
            p.data.copy_(self.shadow[n])
        try:
            yield module
        finally:
            for n, p in module.named_parameters():
                p.data.copy_(self.backup.pop(n))


class SWA:
    """Running average over the last checkpoints."""

    def __init__(self, keep=3):
        self.ring = deque(maxlen=keep)

    def add(self, module):
        self.ring.append([p.detach().clone() for p in module.parameters()])

    def average(self):
        out = [torch.zeros_like(p) for p in self.ring[0]]
        for snap in self.ring:
            torch._foreach_add_(out, snap)
        torch._foreach_div_(out, float(len(self.ring)))
        return out


class TextCNN(nn.Module):
    def __init__(self, vocab, dim, n_cls, kernels=(2, 3)):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim)
        self.convs = nn.ModuleList(nn.Conv1d(dim, dim, k) for k in kernels)
        self.drop = nn.Dropout(0.1, inplace=True)
        self.fc = nn.Linear(dim * len(kernels), n_cls)

    def forward(self, ids):
        x = self.emb(ids).transpose(1, 2)
        pooled = [c(x).relu_().amax(-1) for c in self.convs]
        return self.fc(self.drop(torch.cat(pooled, 1)))


class Loop:
    def __init__(self, model, cfg=EMAConfig()):
        self.model, self.ema, self.swa = model, ParamEMA(model, cfg), SWA()
        self.opt = torch.optim.Adam(model.parameters(), lr=1e-3)

    def train_batch(self, ids, y):
        self.model.train()
        loss = F.cross_entropy(self.model(ids), y)
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        self.ema.update(self.model)
        self.swa.add(self.model)

    @torch.no_grad()
    def validate(self, ids, y):
        self.model.eval()
        hits = torch.zeros(2)
        hits[0] = (self.model(ids).argmax(1) == y).float().mean()
        with self.ema.applied(self.model) as m:
            hits[1] = (m(ids).argmax(1) == y).float().mean()
        return hits


# --- driver ---
torch.manual_seed(0)
loop = Loop(TextCNN(15, 6, 3))
ids, y = torch.randint(0, 15, (4, 7)), torch.randint(0, 3, (4,))
for _ in range(2):
    loop.train_batch(ids, y)
    loop.validate(ids, y)
loop.swa.average()
