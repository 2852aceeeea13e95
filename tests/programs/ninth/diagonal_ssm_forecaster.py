import torch
import torch.nn as nn


class LRU(nn.Module):
    """Linear recurrent unit with real diagonal state."""

    def __init__(self, d, n):
        super().__init__()
        self.nu = nn.Parameter(torch.empty(n).uniform_(0.5, 2.0).log_())
        self.B = nn.Parameter(torch.randn(d, n) / d ** 0.5)
        self.C = nn.Parameter(torch.randn(n, d) / n ** 0.5)
        self.D = nn.Parameter(torch.ones(d))

    @property
    def decay(self):
        return torch.exp(-torch.exp(self.nu))

    def forward(self, u):
        b, l, d = u.shape
        lam = self.decay
        drive = u @ self.B
        drive *= (1 - lam.square()).sqrt()
        states = torch.empty(b, l, lam.numel())
        h = torch.zeros(b, lam.numel())
        for t in range(l):
            h = lam * h + drive[:, t]
            states[:, t] = h
        y = states @ self.C
        y += self.D * u
        return y


class RevIN(nn.Module):
    def __init__(self, d, eps=1e-5):
        super().__init__()
        self.gain, self.shift, self.eps = nn.Parameter(torch.ones(d)), nn.Parameter(torch.zeros(d)), eps

    def normalize(self, x):
        self.mu = x.mean(1, keepdim=True).detach()
        self.sd = x.var(1, keepdim=True, unbiased=False).add_(self.eps).sqrt_().detach()
        return (x - self.mu) / self.sd * self.gain + self.shift

    def denormalize(self, y):
        y = (y - self.shift) / (self.gain + self.eps)
        return y * self.sd + self.mu


class Forecaster(nn.Module):
    def __init__(self, d, width=8, state=6, depth=2, horizon=3):
        super().__init__()
        self.revin = RevIN(d)
        self.inp = nn.Linear(d, width)
        self.layers = nn.ModuleList(LRU(width, state) for _ in range(depth))
        self.norms = nn.ModuleList(nn.LayerNorm(width) for _ in range(depth))
        self.out = nn.Linear(width, d * horizon)
        self.horizon = horizon

    def forward(self, x):
        h = self.inp(self.revin.normalize(x))
        for norm, layer in zip(self.norms, self.layers):
            h = h + nn.functional.gelu(layer(norm(h)))
        y = self.out(h[:, -1]).view(x.size(0), self.horizon, -1)
        return self.revin.denormalize(y)


def impute(series):
    """Last-observation-carried-forward."""
    out = series.clone()
    for t in range(1, out.size(1)):
        hole = torch.isnan(out[:, t])
        out[:, t][hole] = out[:, t - 1][hole]
    return out.nan_to_num_(0.0)


def weighted_mae(pred, target, decay=0.9):
    w = torch.full((pred.size(1),), decay).cumprod_(0)
    w /= w.sum()
    return ((pred - target).abs().mean((0, 2)) * w).sum()


def fit(model, series, ctx, steps=2):
    opt = torch.optim.Adam(model.parameters(), lr=1e-2)
    for s in range(steps):
        x, y = series[:, s:s + ctx], series[:, s + ctx:s + ctx + model.horizon]
        loss = weighted_mae(model(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
    return loss.item()


# --- driver ---
torch.manual_seed(9)
raw = torch.randn(3, 14, 2).cumsum_(1)
raw[0, 3:5, 0] = float("nan")
print(fit(Forecaster(2), impute(raw), ctx=8))
