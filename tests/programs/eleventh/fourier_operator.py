"""Fourier neural operator for a 1-d heat equation with source: spectral layers, relative L2 loss, cosine warm-up."""
import math
from functools import partial

import torch
from torch import nn
import torch.nn.functional as F


class SpectralConv(nn.Module):
    def __init__(self, channels, modes):
        super().__init__()
        self.modes = modes
        scale = 1.0 / channels
        self.weight = nn.Parameter(scale * torch.randn(channels, channels, modes, 2))

    def forward(self, x):
        n = x.shape[-1]
        spec = torch.fft.rfft(x, norm="ortho")
        out = torch.zeros_like(spec)
        w = torch.view_as_complex(self.weight)
        out[..., : self.modes] = torch.einsum("bim,iom->bom", spec[..., : self.modes], w)
        return torch.fft.irfft(out, n=n, norm="ortho")


class OperatorLayer(nn.Module):
    def __init__(self, channels, modes, act):
        super().__init__()
        self.spectral = SpectralConv(channels, modes)
        self.local = nn.Conv1d(channels, channels, 1)
        self.act = act

    def forward(self, x):
        y = self.spectral(x)
        y += self.local(x)
        return self.act(y)


class FNO(nn.Module):
    def __init__(self, channels=12, modes=6, depth=3, pad=4):
        super().__init__()
        self.lift = nn.Conv1d(2, channels, 1)
        acts = [F.gelu] * (depth - 1) + [nn.Identity()]
        self.layers = nn.ModuleList(OperatorLayer(channels, modes, a) for a in acts)
        self.drop = nn.Sequential(nn.Conv1d(channels, 2 * channels, 1), nn.GELU(), nn.Conv1d(2 * channels, 1, 1))
        self.pad = pad

    def forward(self, f):
        b, n = f.shape
        grid = torch.linspace(0, 1, n).expand(b, 1, n)
        x = self.lift(torch.cat([f.unsqueeze(1), grid], 1))
        x = F.pad(x, (0, self.pad))
        for layer in self.layers:
            x = layer(x)
        u = self.drop(x[..., : n]).squeeze(1)
        u[:, 0] = 0.0
        u[:, -1] = 0.0
        return u


def heat_solution(f, steps=20, nu=0.002):
    """Explicit finite differences with Dirichlet ends."""
    u = torch.zeros_like(f)
    n = f.shape[1]
    c = nu * (n - 1) ** 2 / steps
    for _ in range(steps):
        u[:, 1:-1] += c * (u[:, 2:] - 2 * u[:, 1:-1] + u[:, :-2]) + f[:, 1:-1] / steps
    return u


def smooth_fields(batch, n, k=4):
    x = torch.linspace(0, 1, n)
    out = torch.zeros(batch, n)
    for m in range(1, k + 1):
        out += torch.randn(batch, 1) / m * torch.sin(math.pi * m * x)
    return out


def relative_l2(u, v):
    return ((u - v).norm(dim=1) / v.norm(dim=1).clamp_min(1e-6)).mean()


def warm_cosine(step, warm, total):
    if step < warm:
        return (step + 1) / warm
    return 0.5 * (1 + math.cos(math.pi * (step - warm) / max(1, total - warm)))


# --- driver ---
torch.manual_seed(0)
net = FNO()
opt = torch.optim.AdamW(net.parameters(), lr=3e-3)
sched = torch.optim.lr_scheduler.LambdaLR(opt, partial(warm_cosine, warm=2, total=6))
for _ in range(6):
    f = smooth_fields(6, 32)
    loss = relative_l2(net(f), heat_solution(f))
    opt.zero_grad()
    loss.backward()
    opt.step()
    sched.step()
print(loss.item())
