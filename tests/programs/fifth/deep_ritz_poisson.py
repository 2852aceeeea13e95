"""Finite-difference collocation for a Poisson problem with adaptive loss weights and resampling."""
import math
import torch
import torch.nn as nn

H = 1e-2


class Fourier(nn.Module):
    def __init__(self, n=8, scale=1.0):
        super().__init__()
        self.register_buffer('B', torch.randn(2, n).mul_(scale * 2 * math.pi))

    def forward(self, x):
        p = x @ self.B
        out = torch.empty(*p.shape[:-1], 2 * p.shape[-1])
        out[..., :p.shape[-1]] = p.sin()
        out[..., p.shape[-1]:] = p.cos()
        return out


class Net(nn.Module):
    def __init__(self, n=8, h=16):
        super().__init__()
        self.ff = Fourier(n)
        self.l1, self.l2, self.out = nn.Linear(2 * n, h), nn.Linear(h, h), nn.Linear(h, 1)

    def forward(self, x):
        h = self.l1(self.ff(x)).tanh_()
        h = self.l2(h).tanh_()
        u = self.out(h)
        b = (x[:, :1] * (1 - x[:, :1]))
        b *= x[:, 1:]
        b *= 1 - x[:, 1:]
        return u * b


class Points:
    def __init__(self, n, seed=0):
        self.g = torch.Generator().manual_seed(seed)
        self.x = torch.rand(n, 2, generator=self.g)

    def resample(self, residual, frac=0.5):
        k = int(frac * len(self.x))
        worst = residual.abs().squeeze(1).argsort(descending=True)
        fresh = worst[k:]
        self.x[fresh] = torch.rand(len(fresh), 2, generator=self.g)
        self.x[worst[:k]] += 0.01 * torch.randn(k, 2, generator=self.g)
        self.x.clamp_(H, 1 - H)


def source(x):
    f = torch.sin(math.pi * x[:, :1])
    f *= torch.sin(math.pi * x[:, 1:])
    return f.mul_(2 * math.pi ** 2)


def laplacian(net, x):
    lap = net(x)
    lap = lap * -4.0
    for axis in range(2):
        for sign in (1.0, -1.0):
            shifted = x.clone()
            shifted[:, axis] += sign * H
            lap += net(shifted)
    lap /= H * H
    return lap


def train(iters, n=16):
    net, pts = Net(), Points(n)
    weight = torch.ones(n, 1)
    opt = torch.optim.Adam(net.parameters(), lr=1e-3)
    for _ in range(iters):
        x = pts.x.clone()
        res = laplacian(net, x)
        res += source(x)
        loss = (weight.clone() * res.pow(2)).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        r = res.detach()
        weight.mul_(0.9).add_(r.abs() / r.abs().max(), alpha=0.1)
        pts.resample(r)
    return net


# --- driver ---
torch.manual_seed(0)
train(2)
