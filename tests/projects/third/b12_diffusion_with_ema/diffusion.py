import math
import torch
import torch.nn as nn
import torch.nn.functional as F


def timestep_embedding(t, dim):
    half = dim // 2
    freqs = torch.exp(-math.log(10000) * torch.arange(half).float() / half)
    args = t[:, None].float() * freqs[None]
    return torch.cat([args.cos(), args.sin()], -1)


class Denoiser(nn.Module):
    def __init__(self, dim=2, hidden=32, t_dim=16):
        super().__init__()
        self.t_dim = t_dim
        self.time = nn.Sequential(nn.Linear(t_dim, hidden), nn.SiLU(inplace=True), nn.Linear(hidden, hidden))
        self.inp = nn.Linear(dim, hidden)
        self.mid = nn.Linear(hidden, hidden)
        self.out = nn.Linear(hidden, dim)

    def forward(self, x, t):
        h = self.inp(x)
        h += self.time(timestep_embedding(t, self.t_dim))
        h = h + F.silu(self.mid(F.silu(h)))
        return self.out(h)


class GaussianDiffusion:
    def __init__(self, T=20):
        self.T = T
        self.betas = torch.linspace(1e-3, 0.2, T)
        self.abar = torch.cumprod(1 - self.betas, 0)

    def q_sample(self, x0, t, noise):
        a = self.abar[t].unsqueeze(1)
        return a.sqrt() * x0 + (1 - a).sqrt() * noise

    def training_loss(self, model, x0):
        t = torch.randint(0, self.T, (x0.size(0),))
        noise = torch.randn_like(x0)
        return F.mse_loss(model(self.q_sample(x0, t, noise), t), noise)

    @torch.no_grad()
    def sample(self, model, n):
        x = torch.randn(n, 2)
        for i in reversed(range(self.T)):
            t = torch.full((n,), i, dtype=torch.long)
            eps = model(x, t)
            x -= self.betas[i] / (1 - self.abar[i]).sqrt() * eps
            x /= (1 - self.betas[i]).sqrt()
            if i:
                x.add_(torch.randn_like(x), alpha=self.betas[i].sqrt().item())
        return x
