from abc import ABC, abstractmethod
import math

import torch
import torch.nn as nn


class Bijector(nn.Module, ABC):
    @abstractmethod
    def forward(self, x):
        ...


class Flip(Bijector):
    def forward(self, x):
        return x.flip(-1), x.new_zeros(x.shape[0])


class ActNorm(Bijector):
    def __init__(self, dim):
        super().__init__()
        self.loc = nn.Parameter(torch.zeros(dim))
        self.log_scale = nn.Parameter(torch.zeros(dim))
        self.register_buffer("initialized", torch.tensor(False))

    @torch.no_grad()
    def _init(self, x):
        self.loc.copy_(-x.mean(0))
        self.log_scale.copy_(-(x.std(0) + 1e-6).log())
        self.initialized.fill_(True)

    def forward(self, x):
        if not self.initialized:
            self._init(x)
        y = (x + self.loc) * self.log_scale.exp()
        return y, self.log_scale.sum().expand(x.shape[0])


class AffineCoupling(Bijector):
    def __init__(self, dim, hidden=16):
        super().__init__()
        self.d = dim // 2
        self.net = nn.Sequential(
            nn.Linear(self.d, hidden), nn.ReLU(inplace=True), nn.Linear(hidden, 2 * (dim - self.d))
        )
        nn.init.zeros_(self.net[-1].weight)
        nn.init.zeros_(self.net[-1].bias)

    def forward(self, x):
        s, t = self.net(x[:, : self.d]).chunk(2, dim=-1)
        s = torch.tanh(s)
        x[:, self.d :] = x[:, self.d :] * s.exp() + t  # BUG
        return x, s.sum(-1)


class Flow(nn.Module):
    def __init__(self, bijectors):
        super().__init__()
        self.bijectors = nn.ModuleList(bijectors)

    def log_prob(self, x):
        logdet = x.new_zeros(x.shape[0])
        for b in self.bijectors:
            x, ld = b(x)
            logdet += ld
        base = -0.5 * x.pow(2).sum(-1) - 0.5 * x.shape[1] * math.log(2 * math.pi)
        return base + logdet


def make_flow(dim, n_layers):
    layers = []
    for _ in range(n_layers):
        layers += [ActNorm(dim), AffineCoupling(dim), Flip()]
    return Flow(layers)


def dequantize(x, n_bins=256):
    noise = torch.rand_like(x)
    return x.add_(noise).div_(n_bins)


def nll_step(flow, opt, x):
    loss = -flow.log_prob(dequantize(x.clone())).mean()
    opt.zero_grad(set_to_none=True)
    loss.backward()
    opt.step()
    return loss.detach()


# --- driver ---
torch.manual_seed(0)
flow = make_flow(4, 2)
opt = torch.optim.Adam(flow.parameters(), lr=1e-3)
for _ in range(2):
    nll_step(flow, opt, torch.randint(0, 256, (8, 4)).float())
