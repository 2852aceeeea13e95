import math
import numpy as np
import torch
import torch.nn as nn


class RevIN(nn.Module):
    """Reversible instance norm: stats of the context, undone on the forecast."""

    def __init__(self, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.gain, self.shift = nn.Parameter(torch.ones(1)), nn.Parameter(torch.zeros(1))

    def encode(self, x):
        mu = x.mean(-1, keepdim=True)
        sd = x.var(-1, keepdim=True, unbiased=False).add_(self.eps).sqrt_()
        z = (x - mu).div_(sd)
        return z * self.gain + self.shift, (mu, sd)

    def decode(self, y, stats):
        mu, sd = stats
        return (y - self.shift) / self.gain * sd + mu


def basis(kind, n_back, n_fore, p):
    t = torch.arange(-n_back, n_fore).float() / n_back
    if kind == "trend":
        rows = torch.stack([t ** i for i in range(p)])
    elif kind == "season":
        k = torch.arange(1, p // 2 + 1)[:, None] * 2 * math.pi
        rows = torch.cat([(k * t).cos(), (k * t).sin()])
    else:
        return None
    return rows[:, :n_back], rows[:, n_back:]


class Block(nn.Module):
    def __init__(self, kind, n_back, n_fore, p=4, width=24):
        super().__init__()
        self.mlp = nn.Sequential(nn.Linear(n_back, width), nn.ReLU(inplace=True), nn.Linear(width, width), nn.ReLU(inplace=True))
        b = basis(kind, n_back, n_fore, p)
        if b is None:
            self.heads = nn.ModuleList([nn.Linear(width, n_back), nn.Linear(width, n_fore)])
        else:
            self.theta = nn.Linear(width, 2 * p)
            self.register_buffer("bb", b[0])
            self.register_buffer("bf", b[1])
        self.generic = b is None

    def forward(self, x):
        h = self.mlp(x)
        if self.generic:
            return self.heads[0](h), self.heads[1](h)
        tb, tf = self.theta(h).chunk(2, -1)
        return tb @ self.bb, tf @ self.bf


class NBeats(nn.Module):
    def __init__(self, n_back, n_fore, kinds=("trend", "season", "generic")):
        super().__init__()
        self.rev = RevIN()
        self.blocks = nn.ModuleList(Block(k, n_back, n_fore) for k in kinds)
        self.n_fore = n_fore

    def forward(self, x):
        resid, stats = self.rev.encode(x)
        forecast = torch.zeros(len(x), self.n_fore)
        for blk in self.blocks:
            back, fore = blk(resid)
            resid = resid - back
            forecast += fore
        return self.rev.decode(forecast, stats)


class NumpyWindows:
    """Reuses one numpy scratch array; torch gets a copy of each fill."""

    def __init__(self, series, batch, back, fore, seed=0):
        self.s, self.back, self.fore = series, back, fore
        self.scratch = np.empty((batch, back + fore), dtype=np.float32)
        self.rng = np.random.default_rng(seed)

    def __iter__(self):
        return self

    def __next__(self):
        w = self.scratch.shape[1]
        for row in self.scratch:
            i = self.rng.integers(len(self.s) - w)
            row[:] = self.s[i:i + w]
        self.scratch *= self.rng.uniform(0.8, 1.2, (len(self.scratch), 1)).astype(np.float32)
        t = torch.tensor(self.scratch)
        return t[:, :self.back], t[:, self.back:]


def mase(pred, y, x, m=1):
    naive = (x[:, m:] - x[:, :-m]).abs().mean(-1).clamp_(min=1e-3)
    return ((pred - y).abs().mean(-1) / naive).mean()


# --- driver ---
torch.manual_seed(0)
n = np.arange(300)
src = NumpyWindows((np.sin(n / 5) + 0.01 * n).astype(np.float32), 16, 24, 6)
net = NBeats(24, 6)
opt = torch.optim.Adam(net.parameters(), 2e-3)
for step in range(3):
    losses = [mase(net(x), y, x) for x, y in (next(src) for _ in range(2))]
    loss = sum(losses) / len(losses)
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(step, loss.item())
