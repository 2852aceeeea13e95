import math
from typing import Sequence

import torch
from torch import Tensor, nn
import torch.nn.functional as F


def checkerboard(dim: int, parity: int) -> Tensor:
    m = torch.zeros(dim, dtype=torch.bool)
    m[parity::2] = True
    return m


class MaskedLinear(nn.Linear):
    def __init__(self, d_in: int, d_out: int, mask: Tensor):
        super().__init__(d_in, d_out)
        self.register_buffer("mask", mask.float())
        with torch.no_grad():
            self.weight.mul_(self.mask)

    def forward(self, x: Tensor) -> Tensor:
        return F.linear(x, self.weight * self.mask, self.bias)


class MADE(nn.Module):
    def __init__(self, dim: int, hidden: int):
        super().__init__()
        deg_in = torch.arange(1, dim + 1)
        deg_h = torch.arange(hidden).remainder_(max(1, dim - 1)).add_(1)
        self.l1 = MaskedLinear(dim, hidden, deg_h[:, None] >= deg_in[None])
        out_mask = (deg_in[:, None] > deg_h[None]).repeat(2, 1)
        self.l2 = MaskedLinear(hidden, 2 * dim, out_mask)

    def forward(self, x: Tensor):
        mu, alpha = self.l2(F.relu_(self.l1(x))).chunk(2, -1)
        return mu, torch.tanh(alpha)


class MAFLayer(nn.Module):
    def __init__(self, dim: int, hidden: int):
        super().__init__()
        self.made = MADE(dim, hidden)
        self.register_buffer("perm", torch.randperm(dim))

    def forward(self, x: Tensor):
        mu, alpha = self.made(x)
        z = x - mu
        z.mul_(torch.exp(-alpha))
        return z[:, self.perm], -alpha.sum(-1)

    @torch.no_grad()
    def inverse(self, z: Tensor) -> Tensor:
        u = torch.empty_like(z)
        u[:, self.perm] = z
        x = torch.zeros_like(u)
        for i in range(u.shape[1]):
            mu, alpha = self.made(x)
            x[:, i] = u[:, i] * alpha[:, i].exp() + mu[:, i]
        return x


class Coupling(nn.Module):
    def __init__(self, mask: Tensor, hidden: int):
        super().__init__()
        self.register_buffer("mask", mask)
        k, r = int(mask.sum()), int((~mask).sum())
        self.net = nn.Sequential(nn.Linear(k, hidden), nn.ReLU(inplace=True), nn.Linear(hidden, 2 * r))

    def forward(self, x: Tensor):
        s, t = self.net(x[:, self.mask]).chunk(2, -1)
        y = x.clone()
        y[:, ~self.mask] = x[:, ~self.mask] * s.exp() + t
        return y, s.sum(-1)


class Flow(nn.Module):
    def __init__(self, layers: Sequence[nn.Module]):
        super().__init__()
        self.layers = nn.ModuleList(layers)

    def forward(self, x: Tensor) -> Tensor:
        logp = torch.zeros(x.shape[0])
        for l in self.layers:
            x, ld = l(x)
            logp += ld
        logp -= 0.5 * x.square().sum(-1)
        logp -= 0.5 * x.shape[1] * math.log(2 * math.pi)
        return logp


def bits_per_dim(logp: Tensor, dim: int) -> Tensor:
    return -logp.mean() / (dim * math.log(2))


# --- driver ---
torch.manual_seed(0)
flow = Flow([MAFLayer(4, 8), Coupling(checkerboard(4, 0), 8), MAFLayer(4, 8), Coupling(checkerboard(4, 1), 8)])
opt = torch.optim.Adam(flow.parameters(), lr=1e-3)
for _ in range(2):
    opt.zero_grad()
    bits_per_dim(flow(torch.randn(6, 4)), 4).backward()
    opt.step()
flow.layers[0].inverse(torch.randn(3, 4))
