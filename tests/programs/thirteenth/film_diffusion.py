import math
from typing import Optional
import torch
from torch import nn, Tensor
import torch.nn.functional as F


class SinusoidalTime(nn.Module):
    def __init__(self, dim: int):
        super().__init__()
        self.register_buffer("freq", torch.exp(-math.log(1e4) * torch.arange(dim // 2) / (dim // 2)), persistent=False)
        self.mlp = nn.Sequential(nn.Linear(dim, dim), nn.SiLU(), nn.Linear(dim, dim))

    def forward(self, t: Tensor) -> Tensor:
        a = t[:, None].float() * self.freq
        return self.mlp(torch.cat([a.sin(), a.cos()], 1))


class LabelEmbedding(nn.Module):
    """Adds the class vector; some labels are dropped for classifier-free guidance."""

    def __init__(self, n: int, dim: int, drop: float = 0.1):
        super().__init__()
        self.table = nn.Embedding(n + 1, dim)
        self.null, self.drop = n, drop

    def forward(self, emb: Tensor, y: Optional[Tensor]) -> Tensor:
        if y is None:
            y = torch.full((emb.shape[0],), self.null)
        elif self.training:
            y = torch.where(torch.rand(y.shape) < self.drop, self.null, y)
        return emb.add_(self.table(y))  # BUG


class FiLMBlock(nn.Module):
    def __init__(self, c: int, emb: int):
        super().__init__()
        self.norm = nn.GroupNorm(2, c)
        self.conv = nn.Conv2d(c, c, 3, padding=1)
        self.film = nn.Linear(emb, 2 * c)

    def forward(self, x: Tensor, emb: Tensor) -> Tensor:
        scale, shift = self.film(emb)[..., None, None].chunk(2, 1)
        return x + self.conv(F.silu(self.norm(x) * (1 + scale) + shift))


class Denoiser(nn.Module):
    def __init__(self, c: int = 8, emb: int = 16, n_class: int = 3):
        super().__init__()
        self.inp, self.out = nn.Conv2d(1, c, 3, padding=1), nn.Conv2d(c, 1, 3, padding=1)
        self.time, self.label = SinusoidalTime(emb), LabelEmbedding(n_class, emb)
        self.early = nn.ModuleList([FiLMBlock(c, emb)])
        self.late = nn.ModuleList([FiLMBlock(c, emb) for _ in range(2)])

    def forward(self, x: Tensor, t: Tensor, y: Optional[Tensor] = None) -> Tensor:
        emb = self.time(t)
        h = self.inp(x)
        for blk in self.early:
            h = blk(h, emb)
        cond = self.label(emb, y)
        for blk in self.late:
            h = blk(h, cond)
        return self.out(F.silu(h))


class CosineDDPM:
    def __init__(self, T: int = 50, s: float = 0.008):
        f = torch.cos((torch.linspace(0, 1, T + 1) + s) / (1 + s) * math.pi / 2) ** 2
        self.abar = (f[1:] / f[0]).clamp_(1e-4, 0.9999)
        self.T = T

    def noised(self, x0: Tensor, t: Tensor):
        eps = torch.randn_like(x0)
        a = self.abar[t].view(-1, 1, 1, 1)
        return a.sqrt() * x0 + (1 - a).sqrt() * eps, eps

    def loss(self, net: Denoiser, x0: Tensor, y: Tensor) -> Tensor:
        t = torch.randint(0, self.T, (len(x0),))
        xt, eps = self.noised(x0, t)
        snr = self.abar[t] / (1 - self.abar[t])
        w = torch.minimum(snr, torch.tensor(5.0)) / snr
        return ((net(xt, t, y) - eps).square().mean((1, 2, 3)) * w).mean()


# --- driver ---
torch.manual_seed(0)
net, ddpm = Denoiser(), CosineDDPM()
opt = torch.optim.Adam(net.parameters(), 1e-3)
for _ in range(3):
    loss = ddpm.loss(net, torch.rand(6, 1, 8, 8) * 2 - 1, torch.randint(0, 3, (6,)))
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(loss.item())
