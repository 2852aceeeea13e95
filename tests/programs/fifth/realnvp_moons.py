"""RealNVP with checkerboard masks, actnorm initialised from data."""
import math
import torch
import torch.nn as nn


class ActNorm(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.loc, self.log_scale = nn.Parameter(torch.zeros(d)), nn.Parameter(torch.zeros(d))
        self.register_buffer('ready', torch.tensor(False))

    @torch.no_grad()
    def initialise(self, x):
        self.loc.copy_(x.mean(0))
        self.log_scale.copy_(x.std(0).add_(1e-6).log_().neg_())
        self.ready.fill_(True)

    def forward(self, x):
        if not self.ready:
            self.initialise(x)
        y = x - self.loc
        y *= self.log_scale.exp()
        return y, self.log_scale.sum().expand(x.size(0))

    def inverse(self, y):
        return y * (-self.log_scale).exp() + self.loc


class Coupling(nn.Module):
    def __init__(self, d, h, parity):
        super().__init__()
        idx = torch.arange(d)
        self.register_buffer('a', idx[idx % 2 == parity])
        self.register_buffer('b', idx[idx % 2 != parity])
        self.net = nn.Sequential(nn.Linear(len(self.a), h), nn.ReLU(inplace=True), nn.Linear(h, 2 * len(self.b)))
        self.net[-1].weight.data.zero_()
        self.rescale = nn.Parameter(torch.ones(len(self.b)))

    def params(self, xa):
        s, t = self.net(xa).chunk(2, 1)
        return torch.tanh(s) * self.rescale, t

    def forward(self, x):
        xa, xb = x[:, self.a], x[:, self.b]
        s, t = self.params(xa)
        yb = xb * s.exp()
        yb += t
        y = torch.empty_like(x)
        y[:, self.a] = xa
        y[:, self.b] = yb
        return y, s.sum(1)

    def inverse(self, y):
        x = y.clone()
        s, t = self.params(y[:, self.a])
        x[:, self.b] = (y[:, self.b] - t) * (-s).exp()
        return x


class RealNVP(nn.Module):
    def __init__(self, d=2, h=16, n=3):
        super().__init__()
        self.d = d
        self.layers = nn.ModuleList()
        for i in range(n):
            self.layers.extend([ActNorm(d), Coupling(d, h, i % 2)])

    def log_prob(self, x):
        total = torch.zeros(x.size(0))
        for layer in self.layers:
            x, ld = layer(x)
            total += ld
        total -= 0.5 * x.pow(2).sum(1)
        total -= 0.5 * self.d * math.log(2 * math.pi)
        return total

    @torch.no_grad()
    def sample(self, n):
        z = torch.randn(n, self.d)
        for layer in reversed(self.layers):
            z = layer.inverse(z)
        return z


def moons(n):
    t = torch.rand(n) * math.pi
    x = torch.stack([t.cos(), t.sin()], 1)
    x[n // 2:].neg_()
    x[n // 2:, 0] += 1
    x[n // 2:, 1] += 0.5
    return x.add_(torch.randn_like(x), alpha=0.05)


def train(iters, n=32):
    flow = RealNVP()
    opt = torch.optim.Adam(flow.parameters(), lr=1e-3)
    for _ in range(iters):
        loss = -flow.log_prob(moons(n)).mean()
        opt.zero_grad()
        loss.backward()
        for p in flow.parameters():
            p.grad.nan_to_num_(0.0).clamp_(-1, 1)
        opt.step()
    return flow


# --- driver ---
torch.manual_seed(0)
train(2).sample(4)
