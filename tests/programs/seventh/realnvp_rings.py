import math
import torch
from torch import nn


class ScaleShift(nn.Module):
    def __init__(self, half, hidden):
        super().__init__()
        self.net = nn.Sequential(
            nn.Linear(half, hidden), nn.SiLU(), nn.Linear(hidden, hidden), nn.SiLU(), nn.Linear(hidden, 2 * half)
        )
        self.bound = nn.Parameter(torch.ones(half))

    def forward(self, h):
        s, t = self.net(h).chunk(2, -1)
        return torch.tanh(s) * self.bound, t


class Coupling(nn.Module):
    """Affine coupling acting on the even or the odd coordinates."""

    def __init__(self, dim, hidden, parity):
        super().__init__()
        self.parity = parity
        self.st = ScaleShift(dim // 2, hidden)

    def forward(self, x, logdet):
        keep = x[:, self.parity::2]
        s, t = self.st(keep)
        moved = x[:, 1 - self.parity::2] * s.exp() + t
        x[:, 1 - self.parity::2] = moved  # BUG
        return x, logdet + s.sum(-1)

    @torch.no_grad()
    def inverse(self, z):
        s, t = self.st(z[:, self.parity::2])
        z = z.clone()
        z[:, 1 - self.parity::2] -= t
        z[:, 1 - self.parity::2] *= (-s).exp()
        return z


class ActNorm(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.loc = nn.Parameter(torch.zeros(dim))
        self.log_scale = nn.Parameter(torch.zeros(dim))
        self.register_buffer("ready", torch.tensor(False))

    def forward(self, x, logdet):
        if not self.ready:
            with torch.no_grad():
                self.loc.copy_(-x.mean(0))
                self.log_scale.copy_(-(x.std(0) + 1e-6).log())
                self.ready.fill_(True)
        return (x + self.loc) * self.log_scale.exp(), logdet + self.log_scale.sum()

    @torch.no_grad()
    def inverse(self, z):
        return z * (-self.log_scale).exp() - self.loc


class Flow(nn.Module):
    def __init__(self, dim=4, hidden=16, blocks=2):
        super().__init__()
        layers = []
        for i in range(blocks):
            layers += [ActNorm(dim), Coupling(dim, hidden, i % 2)]
        self.layers = nn.ModuleList(layers)

    def log_prob(self, x):
        logdet = x.new_zeros(x.size(0))
        for layer in self.layers:
            x, logdet = layer(x, logdet)
        base = -0.5 * (x.pow(2) + math.log(2 * math.pi)).sum(-1)
        return base + logdet

    def sample(self, n, dim=4):
        z = torch.randn(n, dim)
        for layer in reversed(self.layers):
            z = layer.inverse(z)
        return z


def rings(n):
    a = torch.rand(n) * 2 * math.pi
    r = torch.randint(1, 3, (n,)).float()
    xy = torch.stack([r * a.cos(), r * a.sin()], -1)
    return torch.cat([xy, xy.flip(-1)], -1).add_(0.05 * torch.randn(n, 4))


# --- driver ---
torch.manual_seed(0)
flow = Flow()
opt = torch.optim.Adam(flow.parameters(), 1e-3)
nll = -flow.log_prob(rings(16)).mean()
nll.backward()
opt.step()
