"""Doubly residual stacking in the manner of N-BEATS: trend, seasonal and generic blocks."""
import numpy as np
import torch
import torch.nn as nn


class Basis(nn.Module):
    """Maps a coefficient vector to a backcast and a forecast."""

    def __init__(self, back: torch.Tensor, fore: torch.Tensor):
        super().__init__()
        self.register_buffer("back", back)
        self.register_buffer("fore", fore)

    @property
    def n_coef(self):
        return self.back.shape[0] + self.fore.shape[0]

    def forward(self, theta):
        a, b = theta.split([self.back.shape[0], self.fore.shape[0]], dim=-1)
        return a @ self.back, b @ self.fore


def trend_basis(lookback, horizon, degree=3):
    tb = np.arange(lookback) / lookback
    tf = np.arange(horizon) / horizon
    mk = lambda t: torch.tensor(np.stack([t ** p for p in range(degree)]), dtype=torch.float32)
    return Basis(mk(tb), mk(tf))


def seasonal_basis(lookback, horizon, harmonics=3):
    grid = np.arange(lookback + horizon) / horizon
    waves = [f(2 * np.pi * k * grid) for k in range(1, harmonics + 1) for f in (np.cos, np.sin)]
    waves = torch.tensor(np.stack(waves), dtype=torch.float32)
    return Basis(waves[:, :lookback], waves[:, lookback:])


def generic_basis(lookback, horizon):
    return Basis(torch.eye(lookback), torch.eye(horizon))


class NBlock(nn.Module):
    def __init__(self, lookback, basis, width=32, depth=3):
        super().__init__()
        dims = [lookback] + [width] * depth
        self.trunk = nn.Sequential(*[m for i, o in zip(dims, dims[1:]) for m in (nn.Linear(i, o), nn.ReLU())])
        self.theta = nn.Linear(width, basis.n_coef)
        self.basis = basis

    def forward(self, x):
        return self.basis(self.theta(self.trunk(x)))


class NBeats(nn.Module):
    def __init__(self, lookback, horizon, makers, per_stack=2):
        super().__init__()
        self.horizon = horizon
        self.stacks = nn.ModuleDict(
            {name: nn.ModuleList([NBlock(lookback, mk(lookback, horizon)) for _ in range(per_stack)])
             for name, mk in makers.items()}
        )

    def forward(self, x, parts=None):
        level = x.abs().amax(dim=-1, keepdim=True).clamp_min(1e-3)
        residual = x / level
        forecast = x.new_zeros(x.shape[0], self.horizon)
        for name, stack in self.stacks.items():
            contribution = x.new_zeros(x.shape[0], self.horizon)
            for block in stack:
                back, fore = block(residual)
                residual -= back  # BUG
                contribution = contribution + fore
            if parts is not None:
                parts[name] = contribution.detach() * level
            forecast = forecast + contribution
        return forecast * level


def smape(pred, true):
    return (2 * (pred - true).abs() / (pred.abs() + true.abs() + 1e-3)).mean()


def windows(series, lookback, horizon, n, rng):
    starts = rng.integers(0, len(series) - lookback - horizon, size=n)
    full = np.stack([series[s:s + lookback + horizon] for s in starts]).astype(np.float32)
    full = torch.from_numpy(full)
    return full[:, :lookback], full[:, lookback:]


# --- driver ---
torch.manual_seed(0)
rng = np.random.default_rng(0)
series = 5 + np.sin(np.arange(300) / 6) + 0.1 * rng.standard_normal(300)
net = NBeats(20, 5, {"trend": trend_basis, "season": seasonal_basis, "generic": generic_basis})
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
for step in range(3):
    x, y = windows(series, 20, 5, 16, rng)
    opt.zero_grad()
    loss = smape(net(x), y)
    loss.backward()
    opt.step()
