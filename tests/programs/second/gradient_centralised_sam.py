"""ASAM with gradient centralisation; each batch is evaluated twice."""
from contextlib import contextmanager

import torch
import torch.nn as nn
import torch.nn.functional as F


class PatchMixer(nn.Module):
    def __init__(self, patches=9, dim=12, hidden=16):
        super().__init__()
        self.token = nn.Sequential(nn.Linear(patches, hidden), nn.GELU(), nn.Linear(hidden, patches))
        self.channel = nn.Sequential(nn.Linear(dim, hidden), nn.GELU(), nn.Linear(hidden, dim))
        self.n1, self.n2 = nn.LayerNorm(dim), nn.LayerNorm(dim)

    def forward(self, x):
        h = self.token(self.n1(x).transpose(1, 2)).transpose(1, 2)
        h = h + x
        return h + self.channel(self.n2(h))


class MixerNet(nn.Module):
    def __init__(self, n_in=5, dim=12, depth=2, classes=4):
        super().__init__()
        self.embed = nn.Linear(n_in, dim)
        self.body = nn.Sequential(*[PatchMixer(dim=dim) for _ in range(depth)])
        self.head = nn.Linear(dim, classes)

    def forward(self, x):
        return self.head(self.body(self.embed(x)).mean(1))


@torch.no_grad()
def centralise_(params):
    for p in params:
        if p.grad is not None and p.dim() > 1:
            p.grad -= p.grad.mean(dim=tuple(range(1, p.dim())), keepdim=True)


@contextmanager
def perturbed(params, rho):
    params = [p for p in params if p.grad is not None]
    backup = [p.detach().clone() for p in params]
    with torch.no_grad():
        norm = torch.stack([(p.abs() * p.grad).norm() for p in params]).norm() + 1e-12
        for p in params:
            p.addcmul_(p.pow(2), p.grad, value=float(rho / norm))
    try:
        yield
    finally:
        with torch.no_grad():
            for p, b in zip(params, backup):
                p.copy_(b)


class SWAState:
    def __init__(self, model):
        self.n = 0
        self.avg = [torch.zeros_like(p) for p in model.parameters()]

    @torch.no_grad()
    def collect(self, model):
        self.n += 1
        for a, p in zip(self.avg, model.parameters()):
            a += (p - a) / self.n

    @torch.no_grad()
    def load_into(self, model):
        for a, p in zip(self.avg, model.parameters()):
            p.copy_(a)


def train(model, loader, rho=0.5, lr=0.05):
    params = list(model.parameters())
    opt = torch.optim.SGD(params, lr=lr, momentum=0.9)
    swa = SWAState(model)
    for x, y in loader:
        loss = F.cross_entropy(model(x), y)
        opt.zero_grad()
        loss.backward()
        with perturbed(params, rho):
            opt.zero_grad()
            F.cross_entropy(model(x), y).backward()
        centralise_(params)
        opt.step()
        swa.collect(model)
    swa.load_into(model)
    return swa


# --- driver ---
torch.manual_seed(0)
train(MixerNet(), [(torch.randn(4, 9, 5), torch.randint(0, 4, (4,))) for _ in range(2)])
