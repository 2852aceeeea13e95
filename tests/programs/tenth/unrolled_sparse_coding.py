"""Learned FISTA: unrolled sparse coding of image patches with per-layer thresholds."""
from dataclasses import dataclass

import torch
import torch.nn as nn
import torch.nn.functional as F


class Shrink(torch.autograd.Function):
    """Soft threshold; the support is read off the output."""

    @staticmethod
    def forward(ctx, x, theta):
        out = x.sign() * (x.abs() - theta).clamp_(min=0)
        ctx.save_for_backward(out)
        return out

    @staticmethod
    def backward(ctx, grad):
        (out,) = ctx.saved_tensors
        sign = out.sign()
        dx = grad * sign.abs()
        dtheta = -(grad * sign).sum(0)
        return dx, dtheta


class Extrapolation:
    """Nesterov-type inertia between successive codes."""

    def __init__(self):
        self.t = 1.0
        self.last = None

    def __call__(self, code):
        t_next = (1 + (1 + 4 * self.t ** 2) ** 0.5) / 2
        weight = (self.t - 1) / t_next
        self.t = t_next
        if self.last is None:
            self.last = code
            return code
        drift = code - self.last
        self.last = code.clone()
        return code.add_(drift, alpha=weight)  # BUG


@dataclass
class SparseConfig:
    patch: int = 16
    atoms: int = 24
    layers: int = 4
    sparsity: float = 0.1


class UnrolledCoder(nn.Module):
    def __init__(self, cfg: SparseConfig):
        super().__init__()
        atoms = F.normalize(torch.randn(cfg.patch, cfg.atoms), dim=0)
        self.dictionary = nn.Parameter(atoms)
        step = 1 / torch.linalg.matrix_norm(atoms, 2).square()
        self.steps = nn.Parameter(step.repeat(cfg.layers))
        self.thresholds = nn.ParameterList(
            nn.Parameter(torch.full((cfg.atoms,), float(step) * cfg.sparsity)) for _ in range(cfg.layers))

    def forward(self, x):
        code = x.new_zeros(len(x), self.dictionary.shape[1])
        inertia = Extrapolation()
        for step, theta in zip(self.steps, self.thresholds):
            residual = code @ self.dictionary.T - x
            code = Shrink.apply(code - step * residual @ self.dictionary, theta)
            code = inertia(code)
        return code

    def decode(self, code):
        return code @ self.dictionary.T

    @torch.no_grad()
    def project(self):
        self.dictionary.div_(self.dictionary.norm(dim=0, keepdim=True).clamp_(min=1.0))
        for theta in self.thresholds:
            theta.clamp_(min=1e-4)


def patches(images, size=4):
    p = F.unfold(images, size, stride=size).transpose(1, 2).flatten(0, 1)
    p -= p.mean(1, keepdim=True)
    return p


def train(model, cfg, images, steps, lr=1e-2):
    opt = torch.optim.Adam(model.parameters(), lr=lr)
    usage = torch.zeros(cfg.atoms)
    pool = patches(images)
    for _ in range(steps):
        x = pool[torch.randint(len(pool), (64,))]
        code = model(x)
        loss = F.mse_loss(model.decode(code), x) + cfg.sparsity * code.abs().mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        model.project()
        usage += (code != 0).float().mean(0)
    return usage / steps


# --- driver ---
torch.manual_seed(40)
cfg = SparseConfig()
train(UnrolledCoder(cfg), cfg, torch.rand(8, 1, 16, 16), steps=3)
