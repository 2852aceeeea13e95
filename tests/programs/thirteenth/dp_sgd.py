"""Differentially private training; per-sample gradients from stateless calls of the model."""
from __future__ import annotations

import math
from typing import Callable, Mapping

import torch
from torch import Tensor, nn
from torch.func import functional_call

Tree = Mapping[str, Tensor]


def tree_norms(g: Tree) -> Tensor:
    """L2 norm over the whole tree for each sample (leading axis)."""
    sq = torch.stack([v.flatten(1).square().sum(1) for v in g.values()])
    return sq.sum(0).sqrt_()


class Accountant:
    """A crude RDP bound for the subsampled Gaussian, good enough for a progress line."""

    def __init__(self, sigma: float, q: float, delta: float = 1e-5):
        self.sigma, self.q, self.delta, self.steps = sigma, q, delta, 0
        self.orders = torch.arange(2, 64).float()

    def tick(self):
        self.steps += 1

    @property
    def epsilon(self) -> float:
        rdp = self.steps * self.q ** 2 * self.orders / self.sigma ** 2
        return (rdp + math.log(1 / self.delta) / (self.orders - 1)).min().item()


class AdaptiveClip:
    """Clip norm that follows a quantile of the observed norms (Andrew et al.)."""

    def __init__(self, init: float, quantile: float, lr: float = 0.2):
        self.c, self.quantile, self.lr = torch.tensor(init), quantile, lr

    def factors(self, norms: Tensor) -> Tensor:
        return (self.c / norms.clamp(min=1e-8)).clamp_(max=1.0)

    def update(self, norms: Tensor) -> None:
        below = (norms <= self.c).float().mean()
        self.c.mul_(torch.exp(-self.lr * (below - self.quantile)))


class DPTrainer:
    def __init__(self, model: nn.Module, loss_fn: Callable, lr: float, sigma: float, clip: AdaptiveClip, q: float):
        self.model, self.loss_fn, self.lr, self.sigma, self.clip = model, loss_fn, lr, sigma, clip
        self.params = {k: p.detach().clone().requires_grad_() for k, p in model.named_parameters()}
        self.velocity = {k: torch.zeros_like(p) for k, p in self.params.items()}
        self.acc = Accountant(sigma, q)

    def per_sample(self, x: Tensor, y: Tensor):
        grads = {k: torch.zeros(len(x), *p.shape) for k, p in self.params.items()}
        losses = torch.zeros(len(x))
        for i in range(len(x)):
            loss = self.loss_fn(functional_call(self.model, self.params, (x[i:i + 1],)), y[i:i + 1])
            for (k, _), g in zip(self.params.items(), torch.autograd.grad(loss, list(self.params.values()))):
                grads[k][i] = g
            losses[i] = loss.detach()
        return grads, losses

    @torch.no_grad()
    def apply(self, grads: Tree, factors: Tensor) -> None:
        for k, p in self.params.items():
            g = torch.einsum("b,b...->...", factors, grads[k])
            g.add_(torch.randn_like(g), alpha=self.sigma * float(self.clip.c)).div_(len(factors))
            self.velocity[k].mul_(0.9).add_(g)
            p.sub_(self.velocity[k], alpha=self.lr)

    def step(self, x: Tensor, y: Tensor) -> float:
        grads, losses = self.per_sample(x, y)
        norms = tree_norms(grads)
        self.apply(grads, self.clip.factors(norms))
        self.clip.update(norms)
        self.acc.tick()
        return losses.mean().item()

    @torch.no_grad()
    def export(self) -> nn.Module:
        for k, p in self.model.named_parameters():
            p.copy_(self.params[k])
        return self.model


def public_finetune(model: nn.Module, x: Tensor, y: Tensor, steps: int = 2) -> float:
    head = list(model.children())[-1]
    opt = torch.optim.SGD(head.parameters(), lr=0.05)
    for _ in range(steps):
        loss = nn.functional.cross_entropy(model(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
    return loss.item()


# --- driver ---
torch.manual_seed(0)
net = nn.Sequential(nn.Conv2d(1, 6, 3, 2), nn.Tanh(), nn.Flatten(), nn.Linear(54, 16), nn.Tanh(), nn.Linear(16, 3))
tr = DPTrainer(net, nn.functional.cross_entropy, lr=0.1, sigma=0.8, clip=AdaptiveClip(1.0, 0.5), q=0.1)
for i in range(3):
    print(i, tr.step(torch.rand(12, 1, 8, 8), torch.randint(0, 3, (12,))), tr.acc.epsilon)
print("public", public_finetune(tr.export(), torch.rand(12, 1, 8, 8), torch.randint(0, 3, (12,))))
