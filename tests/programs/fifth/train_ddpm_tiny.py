"""Unconditional DDPM with a convolutional eps-model and ancestral sampling."""
import math
import torch
import torch.nn as nn
import torch.nn.functional as F


class Schedule:
    def __init__(self, T):
        self.T = T
        s = 0.008
        t = torch.arange(T + 1).float().div_(T).add_(s).div_(1 + s).mul_(math.pi / 2)
        f = t.cos_().pow_(2)
        f /= f[0].clone()
        self.betas = (1 - f[1:] / f[:-1]).clamp_(max=0.5)
        self.alphas = 1 - self.betas
        self.abar = self.alphas.cumprod(0)

    def at(self, table, t):
        return table[t].view(-1, 1, 1, 1)


class Block(nn.Module):
    def __init__(self, ch, emb):
        super().__init__()
        self.n1, self.c1 = nn.GroupNorm(2, ch), nn.Conv2d(ch, ch, 3, 1, 1)
        self.n2, self.c2 = nn.GroupNorm(2, ch), nn.Conv2d(ch, ch, 3, 1, 1)
        self.emb = nn.Linear(emb, ch)

    def forward(self, x, e):
        h = self.c1(F.silu(self.n1(x)))
        h += self.emb(e)[:, :, None, None]
        h = self.c2(F.silu(self.n2(h)))
        h += x
        return h


class EpsModel(nn.Module):
    def __init__(self, ch=8, emb=8, T=10):
        super().__init__()
        self.register_buffer('pe', torch.zeros(T, emb))
        pos = torch.arange(T)[:, None].float()
        div = torch.exp(torch.arange(0, emb, 2) * (-math.log(100.0) / emb))
        self.pe[:, 0::2] = torch.sin(pos * div)
        self.pe[:, 1::2] = torch.cos(pos * div)
        self.mlp = nn.Sequential(nn.Linear(emb, emb), nn.SiLU(inplace=True), nn.Linear(emb, emb))
        self.inp, self.out = nn.Conv2d(1, ch, 3, 1, 1), nn.Conv2d(ch, 1, 3, 1, 1)
        self.blocks = nn.ModuleList(Block(ch, emb) for _ in range(2))

    def forward(self, x, t):
        e = self.mlp(self.pe[t])
        h = self.inp(x)
        for b in self.blocks:
            h = b(h, e)
        return self.out(h)


@torch.no_grad()
def sample(net, sch, n, size):
    x = torch.randn(n, 1, size, size)
    for t in reversed(range(sch.T)):
        eps = net(x, torch.full((n,), t))
        x.sub_(eps.mul_((1 - sch.alphas[t]) / (1 - sch.abar[t]).sqrt()))
        x.div_(sch.alphas[t].sqrt())
        if t:
            x.add_(torch.randn_like(x), alpha=sch.betas[t].sqrt().item())
    return x.clamp_(-1, 1)


def train(steps, n=4, size=8, T=10):
    net, sch = EpsModel(T=T), Schedule(T)
    opt = torch.optim.AdamW(net.parameters(), 2e-4)
    for _ in range(steps):
        x0 = torch.rand(n, 1, size, size).mul_(2).sub_(1)
        t = torch.randint(0, T, (n,))
        noise = torch.randn_like(x0)
        xt = x0.mul_(sch.at(sch.abar, t).sqrt()).add_(noise * (1 - sch.at(sch.abar, t)).sqrt())
        loss = F.mse_loss(net(xt, t), noise)
        opt.zero_grad()
        loss.backward()
        opt.step()
    return net, sch


# --- driver ---
torch.manual_seed(0)
net, sch = train(2)
sample(net, sch, 2, 8)
