import math

import torch
from torch import nn


class Swish(nn.Module):
    def forward(self, x):
        gate = torch.sigmoid(x)
        return gate.mul_(x)  # BUG


class FourierFeatures(nn.Module):
    def __init__(self, dim, scale=16.0):
        super().__init__()
        self.register_buffer("freqs", torch.randn(dim // 2) * scale)

    def forward(self, t):
        phase = 2 * math.pi * t[:, None] * self.freqs
        return torch.cat([phase.cos(), phase.sin()], 1)


class ResBlock(nn.Module):
    def __init__(self, ch, emb):
        super().__init__()
        self.n1, self.n2 = nn.GroupNorm(2, ch), nn.GroupNorm(2, ch)
        self.c1, self.c2 = nn.Conv2d(ch, ch, 3, padding=1), nn.Conv2d(ch, ch, 3, padding=1)
        self.emb = nn.Linear(emb, ch)
        self.act = Swish()

    def forward(self, x, e):
        h = self.c1(self.act(self.n1(x)))
        h += self.emb(e)[:, :, None, None]
        h = self.c2(self.act(self.n2(h)))
        return (x + h) / math.sqrt(2)


class Denoiser(nn.Module):
    def __init__(self, ch=8, emb=16, depth=2):
        super().__init__()
        self.ff = FourierFeatures(emb)
        self.map = nn.Sequential(nn.Linear(emb, emb), nn.SiLU(), nn.Linear(emb, emb))
        self.inp = nn.Conv2d(1, ch, 3, padding=1)
        self.blocks = nn.ModuleList(ResBlock(ch, emb) for _ in range(depth))
        self.out = nn.Conv2d(ch, 1, 3, padding=1)
        nn.init.normal_(self.out.weight, std=1e-2)

    def forward(self, x, c_noise):
        e = self.map(self.ff(c_noise))
        h = self.inp(x)
        for blk in self.blocks:
            h = blk(h, e)
        return self.out(h)


class EDM(nn.Module):
    def __init__(self, net, sigma_data=0.5, p_mean=-1.2, p_std=1.2):
        super().__init__()
        self.net, self.sd, self.pm, self.ps = net, sigma_data, p_mean, p_std

    def denoise(self, x, sigma):
        s = sigma.view(-1, 1, 1, 1)
        total = s ** 2 + self.sd ** 2
        c_skip, c_out, c_in = self.sd ** 2 / total, s * self.sd / total.sqrt(), 1 / total.sqrt()
        return c_skip * x + c_out * self.net(c_in * x, sigma.log() / 4)

    def loss(self, x0):
        sigma = torch.randn(len(x0)).mul_(self.ps).add_(self.pm).exp_()
        weight = (sigma ** 2 + self.sd ** 2) / (sigma * self.sd) ** 2
        noisy = x0 + torch.randn_like(x0) * sigma.view(-1, 1, 1, 1)
        err = (self.denoise(noisy, sigma) - x0).pow(2).mean((1, 2, 3))
        return (weight * err).mean()


@torch.no_grad()
def heun_sampler(edm, shape, sigmas):
    x = torch.randn(shape).mul_(sigmas[0])
    for s, s_next in zip(sigmas[:-1], sigmas[1:]):
        d = (x - edm.denoise(x, s.expand(shape[0]))) / s
        x.add_(d, alpha=float(s_next - s))
    return x.clamp_(-1, 1)


def train(edm, batches, lr=1e-3):
    opt = torch.optim.AdamW(edm.parameters(), lr)
    for x0 in batches:
        opt.zero_grad()
        edm.loss(x0).backward()
        opt.step()


# --- driver ---
torch.manual_seed(0)
edm = EDM(Denoiser())
heun_sampler(edm, (2, 1, 8, 8), torch.tensor([10.0, 1.0, 0.1]))
train(edm, [torch.randn(3, 1, 8, 8).clamp_(-1, 1)])
