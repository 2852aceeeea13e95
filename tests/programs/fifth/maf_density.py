"""Masked autoregressive flow trained by sampling (reverse KL) on a 2D energy."""
import math
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F


class MaskedLinear(nn.Linear):
    def __init__(self, i, o, mask):
        super().__init__(i, o)
        self.register_buffer('mask', mask)

    def forward(self, x):
        return F.linear(x, self.mask * self.weight, self.bias)


class MADE(nn.Module):
    def __init__(self, d, h):
        super().__init__()
        deg_in = np.arange(1, d + 1)
        deg_h = np.arange(h) % max(1, d - 1) + 1
        m1 = torch.from_numpy((deg_h[:, None] >= deg_in[None, :]).astype('float32'))
        m2 = torch.from_numpy((deg_in[:, None] > deg_h[None, :]).astype('float32'))
        self.l1 = MaskedLinear(d, h, m1)
        self.mu = MaskedLinear(h, d, m2)
        self.alpha = MaskedLinear(h, d, m2)

    def forward(self, x):
        h = F.relu(self.l1(x), inplace=True)
        return self.mu(h), self.alpha(h).tanh()


class MAF(nn.Module):
    def __init__(self, d, h):
        super().__init__()
        self.d = d
        self.made = MADE(d, h)

    def forward(self, x):
        mu, alpha = self.made(x)
        return (x - mu) * torch.exp(-alpha), -alpha.sum(1)

    def inverse(self, z):
        x = torch.zeros_like(z)
        log_det = torch.zeros(z.size(0))
        for i in range(self.d):
            mu, alpha = self.made(x)
            x[:, i] = z[:, i] * torch.exp(alpha[:, i]) + mu[:, i]  # BUG
            log_det += alpha[:, i]
        return x, log_det


class Flow(nn.Module):
    def __init__(self, d=2, h=16, n=2):
        super().__init__()
        self.layers = nn.ModuleList([MAF(d, h) for _ in range(n)])
        self.d = d

    def sample(self, n):
        z = torch.randn(n, self.d)
        logq = -0.5 * (z ** 2).sum(1) - 0.5 * self.d * math.log(2 * math.pi)
        for layer in self.layers:
            z, ld = layer.inverse(z)
            z = z.flip(1)
            logq = logq - ld
        return z, logq


def energy(x):
    r = x.norm(dim=1)
    return 0.5 * ((r - 2) / 0.4) ** 2


def fit(flow, steps, n=32, lr=1e-3):
    opt = torch.optim.Adam(flow.parameters(), lr=lr)
    for step in range(steps):
        x, logq = flow.sample(n)
        loss = (logq + energy(x)).mean()
        opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(flow.parameters(), 1.0)
        opt.step()
    return flow


# --- driver ---
torch.manual_seed(3)
fit(Flow(), 1)
