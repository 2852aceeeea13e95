import math

import torch
import torch.nn as nn
import torch.nn.functional as F


class RevIN(nn.Module):
    def __init__(self, channels, eps=1e-5):
        super().__init__()
        self.gain, self.bias = nn.Parameter(torch.ones(channels)), nn.Parameter(torch.zeros(channels))
        self.eps = eps

    def norm(self, x):
        self.loc = x.mean(1, keepdim=True)
        self.std = x.var(1, keepdim=True, unbiased=False).add_(self.eps).sqrt_()
        x = x - self.loc
        x /= self.std
        y = x * self.gain
        y += self.bias
        return y

    def denorm(self, y):
        y = y - self.bias
        y = y / self.gain
        y *= self.std
        y += self.loc
        return y


class Patchify(nn.Module):
    def __init__(self, size, stride, dim):
        super().__init__()
        self.size, self.stride = size, stride
        self.proj = nn.Linear(size, dim)

    def forward(self, x):
        p = F.pad(x.transpose(1, 2), (0, self.stride), mode="replicate").unfold(-1, self.size, self.stride)
        return self.proj(p)


class Block(nn.Module):
    def __init__(self, dim, heads, drop):
        super().__init__()
        self.att = nn.MultiheadAttention(dim, heads, batch_first=True)
        self.n1, self.n2 = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.ff = nn.Sequential(nn.Linear(dim, 2 * dim), nn.GELU(), nn.Linear(2 * dim, dim), nn.Dropout(drop, inplace=True))

    def forward(self, x):
        a, _ = self.att(x, x, x, need_weights=False)
        a += x
        x = self.n1(a)
        f = self.ff(x)
        f += x
        return self.n2(f)


class PatchTST(nn.Module):
    def __init__(self, context, horizon, channels, dim=8, size=4, stride=2):
        super().__init__()
        self.revin = RevIN(channels)
        self.patch = Patchify(size, stride, dim)
        n = (context + stride - size) // stride + 1
        self.pos = nn.Parameter(torch.empty(n, dim).normal_(std=0.02))
        self.blocks = nn.Sequential(Block(dim, 2, 0.1), Block(dim, 2, 0.1))
        self.head = nn.Linear(n * dim, horizon)

    def forward(self, x):
        b, _, c = x.shape
        z = self.patch(self.revin.norm(x))
        z += self.pos
        z = self.blocks(z.flatten(0, 1))
        y = self.head(z.flatten(1)).view(b, c, -1).transpose(1, 2)
        return self.revin.denorm(y)


class WindowDataset:
    def __init__(self, series, context, horizon, missing=0.05):
        self.series = series.clone()
        self.series[torch.rand_like(series) < missing] = float("nan")
        self._ffill()
        self.context, self.horizon = context, horizon

    def _ffill(self):
        self.series[0].nan_to_num_(0.0)
        for t in range(1, len(self.series)):
            hole = self.series[t].isnan()
            self.series[t, hole] = self.series[t - 1, hole]

    def batch(self, starts):
        w = torch.stack([self.series[s : s + self.context + self.horizon] for s in starts])
        return w[:, : self.context], w[:, self.context :]


class MASE:
    def __init__(self, horizon):
        self.err, self.n = torch.zeros(horizon), 0

    @torch.no_grad()
    def update(self, pred, y):
        self.err += (pred - y).abs_().mean((0, 2))
        self.n += 1


def one_cycle(i, total, peak):
    return peak * 0.5 * (1 - math.cos(2 * math.pi * (i + 1) / (total + 1)))


def train(model, data, steps, horizon):
    opt, metric = torch.optim.AdamW(model.parameters()), MASE(horizon)
    for i in range(steps):
        opt.param_groups[0]["lr"] = one_cycle(i, steps, 1e-3)
        x, y = data.batch(torch.randint(0, 10, (4,)).tolist())
        pred = model(x)
        opt.zero_grad()
        F.l1_loss(pred, y).backward()
        opt.step()
        metric.update(pred, y)
    return metric.err / metric.n


# --- driver ---
torch.manual_seed(0)
train(PatchTST(12, 3, 2), WindowDataset(torch.randn(30, 2).cumsum_(0), 12, 3), 2, 3)
