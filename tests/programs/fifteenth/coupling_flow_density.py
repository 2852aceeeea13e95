"""Affine coupling flow with actnorm for density estimation."""
import math

import torch
from torch import nn


class Bijection(nn.Module):
    def forward(self, x, logdet):
        raise NotImplementedError

    def inverse(self, y):
        raise NotImplementedError


class ActNorm(Bijection):
    def __init__(self, dim):
        super().__init__()
        self.loc, self.log_scale = nn.Parameter(torch.zeros(dim)), nn.Parameter(torch.zeros(dim))
        self.register_buffer("ready", torch.tensor(False))

    @torch.no_grad()
    def _data_init(self, x):
        self.loc.copy_(-x.mean(0))
        self.log_scale.copy_(-(x.std(0) + 1e-6).log())
        self.ready.fill_(True)

    def forward(self, x, logdet):
        if not self.ready:
            self._data_init(x)
        y = (x + self.loc) * self.log_scale.exp()
        logdet += self.log_scale.sum()
        return y, logdet

    def inverse(self, y):
        return y * (-self.log_scale).exp() - self.loc


class Coupling(Bijection):
    def __init__(self, dim, width, flip, cap=2.0):
        super().__init__()
        self.keep, self.flip, self.cap = dim // 2, flip, cap
        self.net = nn.Sequential(nn.Linear(self.keep, width), nn.SiLU(), nn.Linear(width, 2 * (dim - self.keep)))
        nn.init.zeros_(self.net[-1].weight)
        nn.init.zeros_(self.net[-1].bias)

    def _params(self, a):
        out = self.net(a)
        half = out.size(1) // 2
        log_s = out[:, :half]
        log_s.clamp_(-self.cap, self.cap)
        return log_s, out[:, half:]

    def _split(self, x):
        x = x.flip(1) if self.flip else x
        return x[:, : self.keep], x[:, self.keep:]

    def _merge(self, a, b):
        y = torch.cat([a, b], 1)
        return y.flip(1) if self.flip else y

    def forward(self, x, logdet):
        a, b = self._split(x)
        log_s, t = self._params(a)
        z = b * log_s.exp()
        z += t
        logdet += log_s.sum(1)
        return self._merge(a, z), logdet

    @torch.no_grad()
    def inverse(self, y):
        a, z = self._split(y)
        log_s, t = self._params(a)
        b = z - t
        b *= log_s.neg_().exp_()
        return self._merge(a, b)


class Flow(nn.Module):
    def __init__(self, dim, depth=4, width=24):
        super().__init__()
        self.dim = dim
        layers = []
        for i in range(depth):
            layers += [ActNorm(dim), Coupling(dim, width, flip=bool(i % 2))]
        self.layers = nn.ModuleList(layers)

    def log_prob(self, x):
        logdet = x.new_zeros(len(x))
        for layer in self.layers:
            x, logdet = layer(x, logdet)
        base = -0.5 * x.square().sum(1) - 0.5 * self.dim * math.log(2 * math.pi)
        return base + logdet

    @torch.no_grad()
    def sample(self, n):
        x = torch.randn(n, self.dim)
        for layer in reversed(self.layers):
            x = layer.inverse(x)
        return x


def moons(n):
    th = math.pi * torch.rand(n)
    x = torch.stack([th.cos(), th.sin()], 1)
    lower = torch.rand(n) < 0.5
    x[lower] *= -1
    x[lower, 0] += 1.0
    x += 0.05 * torch.randn_like(x)
    return x


# --- driver ---
if __name__ == "__main__":
    torch.manual_seed(0)
    flow = Flow(2)
    opt = torch.optim.Adam(flow.parameters(), lr=2e-3)
    for step in range(3):
        nll = -flow.log_prob(moons(64)).mean()
        opt.zero_grad()
        nll.backward()
        opt.step()
        print(step, nll.item())
    print(flow.sample(2))
