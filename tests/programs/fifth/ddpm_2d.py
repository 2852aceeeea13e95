"""DDPM on swiss roll points, epsilon prediction with P2 loss weighting."""
import math
import torch
import torch.nn as nn
import torch.nn.functional as F

T = 20
betas = torch.linspace(1e-4, 0.05, T)
alphas = 1 - betas
abar = torch.cumprod(alphas, 0)


def timestep_embedding(t, dim):
    half = dim // 2
    freqs = torch.exp(-math.log(1000) * torch.arange(half) / half)
    args = t[:, None].float() * freqs[None]
    emb = torch.empty(t.size(0), dim)
    emb[:, :half] = args.cos()
    emb[:, half:] = args.sin()
    return emb


class ResBlock(nn.Module):
    def __init__(self, d, emb):
        super().__init__()
        self.fc1 = nn.Linear(d, d)
        self.emb = nn.Linear(emb, 2 * d)
        self.norm = nn.LayerNorm(d)
        self.fc2 = nn.Linear(d, d)

    def forward(self, x, e):
        h = F.silu(self.fc1(x))
        scale, shift = self.emb(e).chunk(2, -1)
        h = self.norm(h) * (1 + scale)
        h += shift
        x = self.fc2(F.gelu(h)) + x
        return x


class EpsNet(nn.Module):
    def __init__(self, d=32, emb=16, n=2):
        super().__init__()
        self.e = emb
        self.inp, self.out = nn.Linear(2, d), nn.Linear(d, 2)
        self.blocks = nn.ModuleList(ResBlock(d, emb) for _ in range(n))

    def forward(self, x, t):
        e = timestep_embedding(t, self.e)
        h = self.inp(x)
        for b in self.blocks:
            h = b(h, e)
        return self.out(h)


def q_sample(x0, t, noise):
    a = abar[t][:, None]
    return a.sqrt() * x0 + (1 - a).sqrt() * noise


def p_losses(net, x0, t, gamma=0.5):
    noise = torch.randn_like(x0)
    pred = net(q_sample(x0, t, noise), t)
    snr = abar[t] / (1 - abar[t])
    err = pred - noise
    per_dim = err.square()
    err.abs_()  # BUG
    w = (1 + snr) ** -gamma
    return (w[:, None] * per_dim).mean(), err.detach().mean(1)


class TimestepSampler:
    def __init__(self):
        self.hist = torch.ones(T)

    def sample(self, n):
        return torch.multinomial(self.hist, n, replacement=True)

    def update(self, t, l):
        self.hist[t] = 0.9 * self.hist[t] + 0.1 * l


def train(net, data, steps):
    opt, sampler = torch.optim.Adam(net.parameters(), 1e-3), TimestepSampler()
    for _ in range(steps):
        t = sampler.sample(len(data))
        loss, mag = p_losses(net, data, t)
        opt.zero_grad()
        loss.backward()
        opt.step()
        sampler.update(t, mag)


# --- driver ---
torch.manual_seed(0)
train(EpsNet(), torch.randn(16, 2), 1)
