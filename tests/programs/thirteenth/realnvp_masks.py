import math
import torch
import torch.nn as nn


class ActNorm(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.loc, self.log_s = nn.Parameter(torch.zeros(d)), nn.Parameter(torch.zeros(d))
        self.register_buffer("ready", torch.tensor(False))

    @torch.no_grad()
    def data_init(self, x):
        self.loc.copy_(-x.mean(0))
        self.log_s.copy_(-x.std(0).clamp_(min=1e-3).log_())
        self.ready.fill_(True)

    def forward(self, x, ldj):
        if not self.ready:
            self.data_init(x)
        ldj += self.log_s.sum()
        return (x + self.loc) * self.log_s.exp(), ldj

    def inverse(self, z):
        return z * torch.exp(-self.log_s) - self.loc


class Coupling(nn.Module):
    def __init__(self, d, idx_keep, hidden=32, cap=2.0):
        super().__init__()
        keep = torch.zeros(d, dtype=torch.bool)
        keep[idx_keep] = True
        self.register_buffer("keep", keep)
        k = int(keep.sum())
        self.net = nn.Sequential(nn.Linear(k, hidden), nn.ReLU(inplace=True), nn.Linear(hidden, 2 * (d - k)))
        nn.init.zeros_(self.net[-1].weight)
        self.cap = cap

    def coeffs(self, a):
        s, t = self.net(a).chunk(2, -1)
        return self.cap * torch.tanh(s / self.cap), t

    def forward(self, x, ldj):
        a, b = x[:, self.keep], x[:, ~self.keep]
        s, t = self.coeffs(a)
        y = torch.empty_like(x)
        y[:, self.keep] = a
        y[:, ~self.keep] = b * s.exp() + t
        ldj += s.sum(-1)
        return y, ldj

    def inverse(self, y):
        x = y.clone()
        s, t = self.coeffs(y[:, self.keep])
        x[:, ~self.keep] = (y[:, ~self.keep] - t) * torch.exp(-s)
        return x


class RealNVP(nn.Module):
    def __init__(self, d, depth=4):
        super().__init__()
        self.d = d
        steps = []
        for i in range(depth):
            steps += [ActNorm(d), Coupling(d, slice(i % 2, None, 2))]
        self.steps = nn.ModuleList(steps)

    def log_prob(self, x):
        ldj = torch.zeros(len(x))
        for f in self.steps:
            x, ldj = f(x, ldj)
        base = -0.5 * x.square().sum(-1) - 0.5 * self.d * math.log(2 * math.pi)
        return base.add_(ldj)

    @torch.no_grad()
    def sample(self, n):
        z = torch.randn(n, self.d)
        for f in reversed(self.steps):
            z = f.inverse(z)
        return z


def dequantise(x, levels=32, alpha=0.01):
    """Uniform dequantisation and logit transform of integer data; returns the per-sample volume change too."""
    u = (x + torch.rand(x.shape)).div_(levels)
    u.mul_(1 - 2 * alpha).add_(alpha)
    ldj = -(u.log() + torch.log1p(-u)).sum(-1)
    return torch.logit(u), ldj


# --- driver ---
torch.manual_seed(0)
flow = RealNVP(6)
opt = torch.optim.Adam(flow.parameters(), lr=1e-3)
for i in range(4):
    raw = torch.randint(0, 32, (64, 6)).float()
    x, vol = dequantise(raw)
    nll = -(flow.log_prob(x) + vol).mean()
    opt.zero_grad()
    nll.backward()
    nn.utils.clip_grad_norm_(flow.parameters(), 1.0)
    opt.step()
    print(i, nll.item())
print(flow.sample(3).shape)
