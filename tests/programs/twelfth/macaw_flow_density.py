"""Masked autoregressive flow with invertible linear mixing for exoplanet light curve features."""
import math
from typing import Optional, Sequence
import torch
import torch.nn as nn
import torch.nn.functional as F


class MaskedLinear(nn.Linear):
    def __init__(self, i: int, o: int):
        super().__init__(i, o)
        self.register_buffer("mask", torch.ones(o, i))

    def set_mask(self, m: torch.Tensor) -> None:
        self.mask.copy_(m)

    def forward(self, x):
        return F.linear(x, self.weight * self.mask, self.bias)


class MADE(nn.Module):
    def __init__(self, d: int, hidden: int):
        super().__init__()
        self.l1, self.l2, self.l3 = MaskedLinear(d, hidden), MaskedLinear(hidden, hidden), MaskedLinear(hidden, 2 * d)
        deg_in = torch.arange(1, d + 1)
        deg_h = torch.arange(hidden) % (d - 1) + 1
        self.l1.set_mask((deg_h[:, None] >= deg_in).float())
        self.l2.set_mask((deg_h[:, None] >= deg_h).float())
        self.l3.set_mask((deg_in.repeat(2)[:, None] > deg_h).float())

    def forward(self, x):
        h = F.relu_(self.l1(x))
        h = F.relu_(self.l2(h))
        mu, alpha = self.l3(h).chunk(2, -1)
        return mu, 2 * torch.tanh(alpha / 2)


class MAFLayer(nn.Module):
    def __init__(self, d: int, hidden: int):
        super().__init__()
        self.made = MADE(d, hidden)

    def forward(self, x):
        mu, alpha = self.made(x)
        z = x - mu
        z = z * torch.exp(-alpha)
        return z, -alpha.sum(-1)

    @torch.no_grad()
    def invert(self, z):
        x = torch.zeros_like(z)
        for i in range(z.shape[1]):
            mu, alpha = self.made(x)
            x[:, i] = z[:, i] * alpha[:, i].exp() + mu[:, i]
        return x


class LUMix(nn.Module):
    def __init__(self, d: int):
        super().__init__()
        P, L, U = torch.linalg.lu(torch.linalg.qr(torch.randn(d, d))[0])
        self.register_buffer("P", P)
        self.L, self.U = nn.Parameter(L.tril_(-1)), nn.Parameter(U.triu(1))
        diag = U.diagonal()
        self.register_buffer("sign", diag.sign())
        self.log_s = nn.Parameter(diag.abs().log())

    def forward(self, x):
        L = self.L.tril(-1)
        L.diagonal().add_(1.0)
        U = self.U.triu(1)
        U.diagonal().copy_(self.sign * self.log_s.exp())
        return x @ (self.P @ L @ U).T, self.log_s.sum().expand(len(x))


class Flow(nn.Module):
    def __init__(self, layers: Sequence[nn.Module], d: int):
        super().__init__()
        self.layers, self.d = nn.ModuleList(layers), d

    def log_prob(self, x, taps: Optional[list] = None):
        total = x.new_zeros(len(x))
        for layer in self.layers:
            x, ld = layer(x)
            total += ld
            if taps is not None:
                taps.append(x.detach().std().item())
        total -= 0.5 * x.square().sum(-1) + 0.5 * self.d * math.log(2 * math.pi)
        return total


def build(d: int, depth: int, hidden: int = 20) -> Flow:
    layers = []
    for _ in range(depth):
        layers += [MAFLayer(d, hidden), LUMix(d)]
    return Flow(layers, d)


# --- driver ---
torch.manual_seed(44)
flow = build(5, 2)
opt = torch.optim.Adam(flow.parameters(), 2e-3)
for _ in range(4):
    x = torch.randn(32, 5)
    x[:, 1] += x[:, 0] ** 2
    taps = []
    loss = -flow.log_prob(x, taps).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(loss.item(), taps)
print(flow.layers[0].invert(torch.randn(3, 5)).shape)
