import torch
from torch import nn


class RunningScaler(nn.Module):
    """Normalises by tracked statistics rather than by those of the batch."""

    def __init__(self, dim, momentum=0.05, eps=1e-5):
        super().__init__()
        self.momentum, self.eps = momentum, eps
        self.gain = nn.Parameter(torch.ones(dim))
        self.shift = nn.Parameter(torch.zeros(dim))
        self.register_buffer("mean", torch.zeros(dim))
        self.register_buffer("scale", torch.ones(dim))
        self.register_buffer("count", torch.zeros((), dtype=torch.long))

    def extra_repr(self):
        return f"dim={self.mean.numel()}, momentum={self.momentum}"

    def _absorb(self, x):
        flat = x.detach().reshape(-1, x.size(-1))
        m = max(self.momentum, 1.0 / float(self.count + 1))
        self.mean.lerp_(flat.mean(0), m)
        self.scale.lerp_(flat.std(0) + self.eps, m)  # BUG
        self.count += 1

    def forward(self, x):
        y = (x - self.mean) / self.scale
        if self.training:
            self._absorb(x)
        return y * self.gain + self.shift


class TemporalBlock(nn.Module):
    def __init__(self, cin, cout, dilation):
        super().__init__()
        self.pad = nn.ConstantPad1d((2 * dilation, 0), 0.0)
        self.conv = nn.Conv1d(cin, cout, 3, dilation=dilation)
        self.norm = RunningScaler(cout)
        self.skip = nn.Conv1d(cin, cout, 1) if cin != cout else nn.Identity()

    def forward(self, x):
        y = self.conv(self.pad(x))
        y = self.norm(y.transpose(1, 2)).transpose(1, 2)
        return torch.relu(y) + self.skip(x)


class SensorForecaster(nn.Module):
    def __init__(self, n_sensors, width=8, dilations=(1, 2), horizon=2):
        super().__init__()
        chans = [n_sensors] + [width] * len(dilations)
        self.blocks = nn.Sequential(*(TemporalBlock(a, b, d) for a, b, d in zip(chans, chans[1:], dilations)))
        self.head = nn.Linear(width, n_sensors * horizon)
        self.horizon = horizon

    def forward(self, x):
        h = self.blocks(x)[..., -1]
        return self.head(h).view(x.size(0), -1, self.horizon)


def sliding(series, window, horizon):
    for start in range(series.size(1) - window - horizon + 1):
        mid = start + window
        yield series[:, start:mid], series[:, mid:mid + horizon]


def train(model, series, window=8, lr=1e-3, max_steps=2):
    opt = torch.optim.Adam(model.parameters(), lr=lr)
    losses = []
    for i, (ctx, tgt) in enumerate(sliding(series, window, model.horizon)):
        if i == max_steps:
            break
        pred = model(ctx.unsqueeze(0))
        loss = (pred - tgt.unsqueeze(0)).abs().mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        losses.append(loss.item())
    return losses


# --- driver ---
torch.manual_seed(11)
print(train(SensorForecaster(3), torch.randn(3, 16).cumsum(1)))
