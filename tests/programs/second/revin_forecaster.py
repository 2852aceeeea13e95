"""Patch-based time series forecaster with reversible instance normalisation of learned features."""
import torch
import torch.nn as nn
import torch.nn.functional as F


class RevIN(nn.Module):
    def __init__(self, channels, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(channels))
        self.bias = nn.Parameter(torch.zeros(channels))

    def normalise(self, x):
        self.mean = x.mean(dim=1, keepdim=True)
        self.std = torch.sqrt(x.var(dim=1, keepdim=True, unbiased=False) + self.eps)
        x -= self.mean  # BUG
        return x / self.std * self.weight + self.bias

    def denormalise(self, y):
        y = (y - self.bias) / (self.weight + self.eps)
        return y * self.std + self.mean


class CalendarMixer(nn.Module):
    """Removes calendar effects from the raw series with a small regression."""

    def __init__(self, channels, n_cal=4):
        super().__init__()
        self.fc = nn.Linear(n_cal, channels)
        self.scale = nn.Parameter(torch.ones(channels))

    def forward(self, x, cal):
        return x * self.scale - self.fc(cal)


class PatchEncoder(nn.Module):
    def __init__(self, patch, stride, dim, depth=2):
        super().__init__()
        self.patch, self.stride = patch, stride
        self.proj = nn.Linear(patch, dim)
        layer = nn.TransformerEncoderLayer(dim, 2, dim * 2, dropout=0.0, batch_first=True, activation="gelu")
        self.enc = nn.TransformerEncoder(layer, depth)

    def forward(self, x):
        b, t, c = x.shape
        p = x.transpose(1, 2).unfold(-1, self.patch, self.stride)
        z = self.proj(p).flatten(0, 1)
        return self.enc(z).view(b, c, -1)


class Forecaster(nn.Module):
    def __init__(self, channels, context, horizon, patch=4, dim=8):
        super().__init__()
        self.calendar = CalendarMixer(channels)
        self.revin = RevIN(channels)
        self.encoder = PatchEncoder(patch, patch, dim, 1)
        self.head = nn.Linear(context // patch * dim, horizon)

    def forward(self, x, cal):
        x = self.calendar(x, cal)
        x = self.revin.normalise(x)
        y = self.head(self.encoder(x)).transpose(1, 2)
        return self.revin.denormalise(y)


def calendar_features(bsz, t):
    pos = torch.arange(t).float()
    feats = torch.stack([torch.sin(pos / 3.8), torch.cos(pos / 3.8), torch.sin(pos / 12), torch.cos(pos / 12)], -1)
    return feats.expand(bsz, t, 4)


def make_series(bsz, t, c):
    base = torch.randn(bsz, t, c).mul_(0.3).cumsum(1)
    base += torch.sin(torch.arange(t).float() / 3.8)[None, :, None]
    return base


def train(model, steps, context=16, horizon=4, channels=3):
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, max(steps, 1))
    for _ in range(steps):
        s = make_series(4, context + horizon, channels)
        pred = model(s[:, :context], calendar_features(4, context))
        loss = F.huber_loss(pred, s[:, context:])
        opt.zero_grad()
        loss.backward()
        opt.step()
        sched.step()


# --- driver ---
torch.manual_seed(0)
train(Forecaster(3, 16, 4), steps=1)
