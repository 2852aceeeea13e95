import weakref
from contextlib import contextmanager
from typing import Dict, List

import torch
import torch.nn as nn
import torch.nn.functional as F


class GradientScaler:
    """Loss scaling with overflow skipping, as in mixed precision."""

    def __init__(self, init=2.0 ** 4, growth=2.0, every=2):
        self.scale_value, self.growth, self.every = init, growth, every
        self.good = 0

    def scale(self, loss):
        return loss * self.scale_value

    def unscale_(self, grads: List[torch.Tensor]):
        ok = True
        for g in grads:
            g.div_(self.scale_value)
            ok &= bool(torch.isfinite(g).all())
        self.good = self.good + 1 if ok else 0
        if not ok:
            self.scale_value /= self.growth
        elif self.good % self.every == 0:
            self.scale_value *= self.growth
        return ok


def pcgrad(per_task: Dict[str, List[torch.Tensor]]):
    flat = {k: torch.cat([g.flatten() for g in gs]) for k, gs in per_task.items()}
    out = torch.zeros_like(next(iter(flat.values())))
    for k, g in flat.items():
        g = g.clone()
        for other, h in flat.items():
            if other == k:
                continue
            dot = g @ h
            if dot < 0:
                g.sub_(h, alpha=float(dot / h.square().sum().add_(1e-12)))
        out += g
    return out


def unflatten_into(params, flat):
    at = 0
    for p in params:
        n = p.numel()
        if p.grad is None:
            p.grad = torch.empty_like(p)
        p.grad.copy_(flat[at:at + n].view_as(p))
        at += n


class GradNoise:
    """Tensor hooks that clip and perturb gradients on their way into the leaves."""

    def __init__(self, module, bound=1.0, sigma=0.0):
        self.bound, self.sigma = bound, sigma
        self.norms = torch.zeros(sum(1 for _ in module.parameters()))
        self.handles = [p.register_hook(self._make(i)) for i, p in enumerate(module.parameters())]
        self._fin = weakref.finalize(self, lambda hs: [h.remove() for h in hs], self.handles)

    def _make(self, i):
        norms, bound, sigma = self.norms, self.bound, self.sigma

        def hook(grad):
            g = grad.clone()
            norms[i] = g.norm()
            g.clamp_(-bound, bound)
            return g.add_(torch.randn_like(g), alpha=sigma)
        return hook


class SharedTrunk(nn.Module):
    def __init__(self, d, width, tasks):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(d, width), nn.ReLU(inplace=True), nn.Linear(width, width), nn.Tanh())
        self.heads = nn.ModuleDict({k: nn.Linear(width, n) for k, n in tasks.items()})
        self.log_var = nn.ParameterDict({k: nn.Parameter(torch.zeros(())) for k in tasks})

    def forward(self, x):
        h = self.trunk(x)
        return {k: head(h) for k, head in self.heads.items()}

    def losses(self, x, targets):
        out = {}
        for k, pred in self(x).items():
            raw = F.mse_loss(pred, targets[k]) if targets[k].is_floating_point() else F.cross_entropy(pred, targets[k])
            out[k] = raw * (-self.log_var[k]).exp() + self.log_var[k]
        return out


@contextmanager
def zeroed(params):
    for p in params:
        if p.grad is not None:
            p.grad.detach_().zero_()
    yield


def train_step(model, opt, scaler, x, targets):
    params = list(model.parameters())
    with zeroed(params):
        losses = model.losses(x, targets)
        grads = {}
        for k, loss in losses.items():
            gs = torch.autograd.grad(scaler.scale(loss), params, retain_graph=True, allow_unused=True)
            grads[k] = [torch.zeros_like(p) if g is None else g.clone() for p, g in zip(params, gs)]
        if all([scaler.unscale_(gs) for gs in grads.values()]):
            unflatten_into(params, pcgrad(grads))
            nn.utils.clip_grad_norm_(params, 1.0)
            opt.step()
    return {k: v.item() for k, v in losses.items()}


# --- driver ---
torch.manual_seed(0)
model = SharedTrunk(5, 8, {"price": 1, "kind": 3})
noise = GradNoise(model, sigma=1e-3)
opt, scaler = torch.optim.Adam(model.parameters(), 1e-3), GradientScaler()
for _ in range(2):
    train_step(model, opt, scaler, torch.randn(6, 5), {"price": torch.randn(6, 1), "kind": torch.randint(0, 3, (6,))})
