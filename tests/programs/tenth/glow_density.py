"""Glow-style flow: data-dependent ActNorm, LU-parametrised 1x1 convolutions, affine couplings, squeezing."""
import math

import torch
import torch.nn as nn
import torch.nn.functional as F


class ActNorm(nn.Module):
    def __init__(self, ch):
        super().__init__()
        self.shift, self.log_scale = nn.Parameter(torch.zeros(1, ch, 1, 1)), nn.Parameter(torch.zeros(1, ch, 1, 1))
        self.register_buffer("ready", torch.tensor(False))

    @torch.no_grad()
    def initialise(self, x):
        self.shift.copy_(-x.mean((0, 2, 3), keepdim=True))
        self.log_scale.copy_(-x.std((0, 2, 3), keepdim=True).add_(1e-6).log_())
        self.ready.fill_(True)

    def forward(self, x):
        if not self.ready:
            self.initialise(x)
        logdet = self.log_scale.sum() * x.shape[2] * x.shape[3]
        return (x + self.shift) * self.log_scale.exp(), logdet.expand(len(x))


class MixingConv(nn.Module):
    def __init__(self, ch):
        super().__init__()
        q, _ = torch.linalg.qr(torch.randn(ch, ch))
        p, l, u = torch.linalg.lu(q)
        d = u.diagonal().clone()
        u.fill_diagonal_(0)
        self.register_buffer("p", p)
        self.register_buffer("sign", d.sign())
        self.register_buffer("eye", torch.eye(ch))
        self.l, self.u, self.log_d = nn.Parameter(l), nn.Parameter(u), nn.Parameter(d.abs_().log_())

    def weight(self):
        lower = self.l.tril(-1) + self.eye
        upper = self.u.triu(1) + torch.diag(self.sign * self.log_d.exp())
        return self.p @ lower @ upper

    def forward(self, x):
        logdet = self.log_d.sum() * x.shape[2] * x.shape[3]
        return F.conv2d(x, self.weight()[:, :, None, None]), logdet.expand(len(x))


class Coupling(nn.Module):
    def __init__(self, ch, hidden):
        super().__init__()
        self.net = nn.Sequential(nn.Conv2d(ch // 2, hidden, 3, padding=1), nn.ReLU(inplace=True),
                                 nn.Conv2d(hidden, hidden, 1), nn.ReLU(inplace=True),
                                 nn.Conv2d(hidden, ch, 3, padding=1))
        nn.init.zeros_(self.net[-1].weight)
        nn.init.zeros_(self.net[-1].bias)

    def forward(self, x):
        a, b = x.chunk(2, 1)
        shift, raw = self.net(a).chunk(2, 1)
        log_s = F.logsigmoid(raw + 2)
        out = torch.empty_like(x)
        out[:, : a.shape[1]] = a
        out[:, a.shape[1]:] = (b + shift) * log_s.exp()
        return out, log_s.sum((1, 2, 3))


class Glow(nn.Module):
    def __init__(self, ch=1, levels=2, steps=2, hidden=12):
        super().__init__()
        self.levels = nn.ModuleList()
        for i in range(levels):
            ch *= 4
            self.levels.append(nn.ModuleList(m for _ in range(steps) for m in (ActNorm(ch), MixingConv(ch), Coupling(ch, hidden))))
            if i < levels - 1:
                ch //= 2

    @staticmethod
    def gaussian(z):
        return -0.5 * (z.square() + math.log(2 * math.pi)).sum((1, 2, 3))

    def log_prob(self, x):
        total = x.new_zeros(len(x))
        for i, level in enumerate(self.levels):
            x = F.pixel_unshuffle(x, 2)
            for layer in level:
                x, logdet = layer(x)
                total += logdet
            if i < len(self.levels) - 1:
                x, z = x.chunk(2, 1)
                total += self.gaussian(z)
        total += self.gaussian(x)
        return total


def dequantise(images, levels=32):
    return images.mul(levels - 1).floor_().add_(torch.rand_like(images)).div_(levels).sub_(0.5)


def bits_per_dim(logp, dims, levels=32):
    return -(logp - dims * math.log(levels)).mean() / (dims * math.log(2))


# --- driver ---
torch.manual_seed(37)
flow = Glow()
opt = torch.optim.Adam(flow.parameters(), lr=1e-3)
for _ in range(3):
    x = dequantise(torch.rand(8, 1, 8, 8))
    loss = bits_per_dim(flow.log_prob(x), 64)
    opt.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(flow.parameters(), 5.0)
    opt.step()
