import contextlib
import types
from typing import List

import torch
import torch.nn as nn
import torch.nn.functional as F


class PerSampleClipper:
    """Gradient accumulation with per-micro-batch clipping and Gaussian noise."""

    def __init__(self, params, max_norm, sigma):
        self.params: List[nn.Parameter] = [p for p in params if p.requires_grad]
        self.max_norm, self.sigma = max_norm, sigma
        self.sums = [torch.zeros_like(p) for p in self.params]
        self.clipped = self.seen = 0

    @torch.no_grad()
    def absorb(self):
        norm = torch.stack([p.grad.norm() for p in self.params]).norm()
        coef = (self.max_norm / (norm + 1e-6)).clamp_(max=1.0)
        for s, p in zip(self.sums, self.params):
            s.addcmul_(p.grad, coef)
            p.grad.zero_()
        self.seen += 1
        self.clipped += int(coef < 1)

    @torch.no_grad()
    def flush(self, n):
        for s, p in zip(self.sums, self.params):
            s.add_(torch.randn_like(s), alpha=self.sigma * self.max_norm)
            p.grad.copy_(s).div_(n)
            s.zero_()


def centralize(grad):
    if grad.dim() > 1:
        return grad - grad.mean(tuple(range(1, grad.dim())), keepdim=True)
    return grad


def scale_grad(factor):
    def hook(grad):
        g = grad.clone()
        g *= factor
        return g
    return hook


class MultiTaskNet(nn.Module):
    def __init__(self, n_in, hid, outs):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(n_in, hid), nn.LeakyReLU(inplace=True), nn.Linear(hid, hid), nn.Hardtanh(-2, 2, inplace=True))
        self.heads = nn.ModuleDict({k: nn.Linear(hid, n) for k, n in outs.items()})
        self.log_var = nn.ParameterDict({k: nn.Parameter(torch.zeros(())) for k in outs})
        for p in self.trunk.parameters():
            p.register_hook(centralize)
        for p in self.heads.parameters():
            p.register_hook(scale_grad(0.5))

    def forward(self, x):
        h = self.trunk(x)
        return {k: head(h) for k, head in self.heads.items()}

    def loss(self, x, targets):
        total = torch.zeros(())
        for k, out in self(x).items():
            if targets[k].dtype == torch.long:
                l = F.cross_entropy(out, targets[k])
            else:
                l = F.mse_loss(out.squeeze(1), targets[k])
            total += torch.exp(-self.log_var[k]) * l + self.log_var[k]
        return total


@contextlib.contextmanager
def frozen(params):
    params = list(params)
    for p in params:
        p.requires_grad_(False)
    yield
    for p in params:
        p.requires_grad_(True)


def train(model, data, hp):
    opt = torch.optim.SGD(model.parameters(), lr=hp.lr, momentum=0.9)
    clipper = PerSampleClipper(model.parameters(), hp.max_norm, hp.sigma)
    opt.zero_grad(set_to_none=False)
    for i, (x, t) in enumerate(data, 1):
        model.loss(x, t).backward()
        clipper.absorb()
        if i % hp.accum == 0:
            clipper.flush(hp.accum)
            opt.step()
            opt.zero_grad(set_to_none=False)
            with torch.no_grad():
                for v in model.log_var.values():
                    v.clamp_(-2, 2)
    return clipper.clipped / clipper.seen


def make_data(n, batch, dim):
    for _ in range(n):
        x = torch.randn(batch, dim)
        yield x, {"cls": x[:, 0].gt(0).long(), "reg": x.sum(1)}


# --- driver ---
torch.manual_seed(0)
hp = types.SimpleNamespace(lr=0.05, max_norm=1.0, sigma=0.01, accum=2)
train(MultiTaskNet(5, 10, {"cls": 2, "reg": 1}), make_data(4, 6, 5), hp)
