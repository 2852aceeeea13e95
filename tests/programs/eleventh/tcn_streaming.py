"""Causal TCN for anomaly scores: trained on whole windows, served sample by sample through ring caches."""
from contextlib import contextmanager

import torch
from torch import nn
import torch.nn.functional as F


class CausalConv(nn.Module):
    def __init__(self, c_in, c_out, kernel, dilation):
        super().__init__()
        self.conv = nn.Conv1d(c_in, c_out, kernel, dilation=dilation)
        self.reach = (kernel - 1) * dilation
        self.ring = None
        self.head = 0

    def open_stream(self, batch):
        self.ring = torch.zeros(batch, self.conv.in_channels, self.reach + 1)
        self.head = 0

    def close_stream(self):
        self.ring = None

    def forward(self, x):
        if self.ring is None:
            return self.conv(F.pad(x, (self.reach, 0)))
        return torch.cat([self._tick(x[..., t]) for t in range(x.shape[-1])], dim=-1)

    def _tick(self, frame):
        self.ring[..., self.head] = frame
        self.head = (self.head + 1) % self.ring.shape[-1]
        return self.conv(self.ring.roll(-self.head, dims=-1))


class Residual(nn.Module):
    def __init__(self, c_in, c_out, kernel, dilation):
        super().__init__()
        self.a = CausalConv(c_in, c_out, kernel, dilation)
        self.b = CausalConv(c_out, c_out, kernel, dilation)
        self.skip = nn.Conv1d(c_in, c_out, 1) if c_in != c_out else nn.Identity()

    def forward(self, x):
        y = F.relu_(self.a(x))
        y = self.b(y)
        y += self.skip(x)
        return F.relu_(y)


class TCN(nn.Module):
    def __init__(self, channels, widths=(8, 8, 12), kernel=3):
        super().__init__()
        dims = [channels, *widths]
        self.body = nn.Sequential(*[Residual(i, o, kernel, 2 ** n) for n, (i, o) in enumerate(zip(dims, dims[1:]))])
        self.mean = nn.Conv1d(dims[-1], channels, 1)
        self.log_var = nn.Conv1d(dims[-1], channels, 1)

    def forward(self, x):
        h = self.body(x)
        return self.mean(h), self.log_var(h).clamp(-6, 4)

    @contextmanager
    def streaming(self, batch):
        convs = [m for m in self.modules() if isinstance(m, CausalConv)]
        for c in convs:
            c.open_stream(batch)
        try:
            with torch.no_grad():
                yield self
        finally:
            for c in convs:
                c.close_stream()


def nll(mean, log_var, target):
    return 0.5 * ((target - mean).square() * torch.exp(-log_var) + log_var).mean()


def train(net, series, steps, window=24, lr=5e-3):
    opt = torch.optim.Adam(net.parameters(), lr=lr)
    for _ in range(steps):
        s = int(torch.randint(0, series.shape[-1] - window - 1, ()))
        x, y = series[..., s:s + window], series[..., s + 1:s + window + 1]
        opt.zero_grad()
        loss = nll(*net(x), y)
        loss.backward()
        opt.step()
    return loss.item()


def score_stream(net, frames):
    scores, guess = [], None
    with net.streaming(frames[0].shape[0]) as live:
        for f in frames:
            if guess is not None:
                m, lv = guess
                scores.append(((f - m).square() / lv.exp()).mean().item())
            guess = live(f)
    return scores


# --- driver ---
torch.manual_seed(0)
time = torch.arange(200) / 5
series = torch.stack([time.sin(), (1.7 * time).cos()])[None].repeat(3, 1, 1) + 0.05 * torch.randn(3, 2, 200)
net = TCN(2)
print(train(net, series, steps=5))
print(score_stream(net, list(series[..., :6].split(1, dim=-1))))
print(train(net, series, steps=2))
