import functools

import torch
import torch.nn as nn
import torch.nn.functional as F


class FactorisedSpectral(nn.Module):
    def __init__(self, ch, modes):
        super().__init__()
        self.modes = modes
        make = lambda: nn.Parameter(torch.view_as_real(torch.randn(ch, ch, modes, dtype=torch.cfloat)).mul_(1 / ch))
        self.wx, self.wy = make(), make()

    def _along(self, x, weight, dim):
        x_ft = torch.fft.rfft(x, dim=dim, norm="ortho")
        out = torch.zeros_like(x_ft)
        low = x_ft.narrow(dim, 0, self.modes)
        eq = "bixy,iox->boxy" if dim == -2 else "bixy,ioy->boxy"
        out.narrow(dim, 0, self.modes).copy_(torch.einsum(eq, low, torch.view_as_complex(weight)))
        return torch.fft.irfft(out, n=x.shape[dim], dim=dim, norm="ortho")

    def forward(self, x):
        y = self._along(x, self.wx, -2)
        y += self._along(x, self.wy, -1)
        return y


class Layer(nn.Module):
    def __init__(self, ch, modes):
        super().__init__()
        self.spec = FactorisedSpectral(ch, modes)
        self.mlp = nn.Sequential(nn.Conv2d(ch, 2 * ch, 1), nn.GELU(), nn.Conv2d(2 * ch, ch, 1))

    def forward(self, x):
        h = self.mlp(self.spec(x))
        h += x
        return h


@functools.lru_cache(maxsize=4)
def coordinate_grid(n):
    g = torch.stack(torch.meshgrid(torch.linspace(0, 1, n), torch.linspace(0, 1, n), indexing="ij"))
    return g.mul_(2).sub_(1).unsqueeze(0)


class UnitGaussian:
    def __init__(self, x, eps=1e-5):
        self.mean, self.std = x.mean(0), x.std(0).add_(eps)

    def encode(self, x):
        return x.sub(self.mean).div_(self.std)

    def decode(self, x):
        return x * self.std + self.mean


class DarcyOperator(nn.Module):
    def __init__(self, ch=6, modes=3, depth=2):
        super().__init__()
        self.lift = nn.Conv2d(3, ch, 1)
        self.layers = nn.Sequential(*(Layer(ch, modes) for _ in range(depth)))
        self.proj = nn.Conv2d(ch, 1, 1)

    def forward(self, a):
        grid = coordinate_grid(a.shape[-1]).expand(len(a), -1, -1, -1)
        h = self.lift(torch.cat([a.unsqueeze(1), grid], 1))
        u = self.proj(self.layers(h)).squeeze(1)
        return self.boundary(u)

    @staticmethod
    def boundary(u):
        ramp = torch.linspace(0, 1, u.shape[-1])
        ramp = ramp * (1 - ramp)
        ramp.div_(ramp.max())
        u = u * torch.outer(ramp, ramp)
        u[..., 0] = 0
        u[..., -1] = 0
        return u


def permeability(n, size):
    field = torch.randn(n, 1, size, size)
    for _ in range(3):
        field = F.avg_pool2d(field, 3, 1, 1)
    a = torch.full((n, size, size), 3.0)
    a[field.squeeze(1) > 0] = 12.0
    return a


@torch.no_grad()
def jacobi(a, iters=40):
    u = torch.zeros_like(a)
    for _ in range(iters):
        nb = u[:, :-2, 1:-1] + u[:, 2:, 1:-1] + u[:, 1:-1, :-2] + u[:, 1:-1, 2:]
        u[:, 1:-1, 1:-1] = 0.25 * (nb + 1 / a[:, 1:-1, 1:-1])
    return u


def train(model, a, u, steps, lr=1e-3):
    norm_a, norm_u = UnitGaussian(a), UnitGaussian(u)
    opt = torch.optim.Adam(model.parameters(), lr)
    for _ in range(steps):
        pred = norm_u.decode(model(norm_a.encode(a)))
        rel = (pred - u).flatten(1).norm(dim=1) / u.flatten(1).norm(dim=1)
        opt.zero_grad()
        rel.mean().backward()
        opt.step()
    return rel.mean().item()


# --- driver ---
torch.manual_seed(0)
a = permeability(4, 8)
train(DarcyOperator(), a, jacobi(a), 2)
