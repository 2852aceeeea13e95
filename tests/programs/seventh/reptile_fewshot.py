import copy
import random
from contextlib import contextmanager

import torch
from torch import nn
import torch.nn.functional as F


class Episodes:
    def __init__(self, n_classes=8, dim=6, seed=0):
        g = torch.Generator().manual_seed(seed)
        self.protos = torch.randn(n_classes, dim, generator=g)
        self.protos /= self.protos.norm(dim=1, keepdim=True)
        self.rng = random.Random(seed)

    def draw(self, ways, shots):
        ids = self.rng.sample(range(len(self.protos)), ways)
        x = self.protos[ids].repeat_interleave(shots, 0)
        x += 0.1 * torch.randn_like(x)
        return x, torch.arange(ways).repeat_interleave(shots)


class Embedder(nn.Module):
    def __init__(self, dim, width, ways):
        super().__init__()
        self.l1 = nn.Linear(dim, width)
        self.norm = nn.LayerNorm(width)
        self.l2 = nn.Linear(width, ways)
        self.reset_head()

    def reset_head(self):
        with torch.no_grad():
            self.l2.weight.zero_()
            self.l2.bias.fill_(0.0)

    def forward(self, x):
        return self.l2(F.relu_(self.norm(self.l1(x))))


@contextmanager
def borrowed(model):
    """Gives the weights back after a visit to a task."""
    saved = [p.detach().clone() for p in model.parameters()]
    try:
        yield saved
    finally:
        with torch.no_grad():
            for p, s in zip(model.parameters(), saved):
                p.copy_(s)


class Reptile:
    def __init__(self, model, inner_lr=0.1, outer_lr=0.5, inner_steps=2):
        self.model, self.inner_lr, self.outer_lr, self.inner_steps = model, inner_lr, outer_lr, inner_steps

    def _inner_step(self, x, y):
        loss = F.cross_entropy(self.model(x), y)
        grads = torch.autograd.grad(loss, list(self.model.parameters()))
        with torch.no_grad():
            for p, g in zip(self.model.parameters(), grads):
                p.add_(g, alpha=-self.inner_lr)
        return loss.item()

    def meta_step(self, episodes, n_tasks):
        direction = [torch.zeros_like(p) for p in self.model.parameters()]
        for _ in range(n_tasks):
            with borrowed(self.model) as start:
                self.model.reset_head()
                x, y = episodes.draw(3, 2)
                for _ in range(self.inner_steps):
                    self._inner_step(x, y)
                for d, p, s in zip(direction, self.model.parameters(), start):
                    d.add_(p.detach() - s)
        with torch.no_grad():
            for p, d in zip(self.model.parameters(), direction):
                p.add_(d.div_(n_tasks), alpha=self.outer_lr)

    def evaluate(self, episodes):
        with borrowed(self.model):
            x, y = episodes.draw(3, 4)
            self._inner_step(x[::2], y[::2])
            with torch.no_grad():
                hits = self.model(x[1::2]).argmax(1).eq_(y[1::2])
        return hits.float().mean().item()


class FOMAML(Reptile):
    def meta_step(self, episodes, n_tasks):
        opt = torch.optim.SGD(self.model.parameters(), lr=self.outer_lr)
        opt.zero_grad()
        for _ in range(n_tasks):
            fast = copy.deepcopy(self.model)
            x, y = episodes.draw(3, 4)
            Reptile(fast, self.inner_lr)._inner_step(x[::2], y[::2])
            grads = torch.autograd.grad(F.cross_entropy(fast(x[1::2]), y[1::2]), list(fast.parameters()))
            for p, g in zip(self.model.parameters(), grads):
                p.grad = g / n_tasks if p.grad is None else p.grad.add_(g, alpha=1 / n_tasks)
        opt.step()


# --- driver ---
torch.manual_seed(0)
for cls in (Reptile, FOMAML):
    algo = cls(Embedder(6, 10, 3))
    ep = Episodes()
    algo.meta_step(ep, 2)
    algo.evaluate(ep)
