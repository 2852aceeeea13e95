import math
import torch
import torch.nn as nn


class Coupling(nn.Module):
    def __init__(self, dim, hidden, even):
        super(Coupling, self).__init__()
        self.a = slice(0, None, 2) if even else slice(1, None, 2)
        self.b = slice(1, None, 2) if even else slice(0, None, 2)
        self.net = nn.Sequential(nn.Linear(dim // 2, hidden), nn.Tanh(), nn.Linear(hidden, dim))

    def forward(self, x):
        cond = x[:, self.a]
        s, t = self.net(cond).chunk(2, dim=1)
        s = torch.tanh(s)
        x[:, self.b] = x[:, self.b].clone() * s.exp() + t  # BUG
        return x, s.sum(dim=1)


class RealNVP(nn.Module):
    def __init__(self, dim=4, hidden=32, n_layers=4):
        super(RealNVP, self).__init__()
        self.layers = nn.ModuleList([Coupling(dim, hidden, i % 2 == 0) for i in range(n_layers)])
        self.dim = dim

    def forward(self, x):
        logdet = 0.
        for layer in self.layers:
            x, ld = layer(x)
            logdet = logdet + ld
        return x, logdet

    def log_prob(self, x):
        z, logdet = self.forward(x)
        prior = -0.5 * (z ** 2).sum(1) - 0.5 * self.dim * math.log(2 * math.pi)
        return prior + logdet


def two_rings(n):
    theta = 2 * math.pi * torch.rand(n)
    r = 1.0 + (torch.rand(n) > 0.5).float() + 0.05 * torch.randn(n)
    pts = torch.stack([r * theta.cos(), r * theta.sin()], 1)
    return torch.cat([pts, 0.1 * torch.randn(n, 2)], 1)


torch.manual_seed(7)
model = RealNVP()
optim = torch.optim.Adam(model.parameters(), lr=1e-3)
for it in range(30):
    batch = two_rings(128)
    nll = -model.log_prob(batch).mean()
    optim.zero_grad()
    nll.backward()
    optim.step()
    if it % 10 == 0:
        print('iter', it, 'nll', nll.item())
