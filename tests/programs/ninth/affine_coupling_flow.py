import math

import torch
import torch.nn as nn


class Bijector(nn.Module):
    def forward(self, x):
        raise NotImplementedError

    def inverse(self, y):
        raise NotImplementedError


class ActNorm(Bijector):
    def __init__(self, dim):
        super().__init__()
        self.loc = nn.Parameter(torch.zeros(dim))
        self.log_scale = nn.Parameter(torch.zeros(dim))
        self.register_buffer("ready", torch.tensor(False))

    @torch.no_grad()
    def _data_init(self, x):
        self.loc.copy_(-x.mean(0))
        self.log_scale.copy_(-x.std(0).add(1e-6).log())
        self.ready.fill_(True)

    def forward(self, x):
        if not self.ready:
            self._data_init(x)
        return (x + self.loc) * self.log_scale.exp(), self.log_scale.sum().expand(x.size(0))

    def inverse(self, y):
        return y * (-self.log_scale).exp() - self.loc


class Flip(Bijector):
    def forward(self, x):
        return x.flip(-1), x.new_zeros(x.size(0))

    def inverse(self, y):
        return y.flip(-1)


class AffineCoupling(Bijector):
    def __init__(self, dim, hidden):
        super().__init__()
        self.cut = dim // 2
        self.net = nn.Sequential(
            nn.Linear(self.cut, hidden), nn.ReLU(),
            nn.Linear(hidden, 2 * (dim - self.cut)),
        )

    def _params(self, cond):
        shift, raw = self.net(cond).chunk(2, dim=-1)
        return shift, 2.0 * torch.tanh(raw / 2.0)

    def forward(self, x):
        shift, log_s = self._params(x[:, : self.cut])
        x[:, self.cut:] = x[:, self.cut:] * log_s.exp() + shift  # BUG
        return x, log_s.sum(-1)

    def inverse(self, y):
        a, b = y[:, : self.cut], y[:, self.cut:]
        shift, log_s = self._params(a)
        return torch.cat([a, (b - shift) * (-log_s).exp()], dim=-1)


class Flow(nn.Module):
    def __init__(self, dim, depth, hidden=16):
        super().__init__()
        layers = []
        for _ in range(depth):
            layers += [ActNorm(dim), AffineCoupling(dim, hidden), Flip()]
        self.layers = nn.ModuleList(layers)
        self.dim = dim

    def log_prob(self, x):
        total = torch.zeros(x.size(0))
        for layer in self.layers:
            x, ld = layer(x)
            total = total + ld
        base = -0.5 * (x.pow(2).sum(-1) + self.dim * math.log(2 * math.pi))
        return base + total

    @torch.no_grad()
    def sample(self, n):
        z = torch.randn(n, self.dim)
        for layer in reversed(self.layers):
            z = layer.inverse(z)
        return z


def fit(flow, data, steps=1, lr=1e-3):
    opt = torch.optim.Adam(flow.parameters(), lr=lr)
    for _ in range(steps):
        nll = -flow.log_prob(data.clone()).mean()
        opt.zero_grad()
        nll.backward()
        opt.step()
    return nll.item()


# --- driver ---
torch.manual_seed(5)
print(fit(Flow(4, 2), torch.randn(16, 4) * 2 + 1))
