"""Pixel diffusion with FiLM conditioning, classifier free dropout and an ancestral sampler."""
import math
import torch
import torch.nn as nn
import torch.nn.functional as F


def cosine_alphas(n, s=0.008):
    t = torch.linspace(0, 1, n + 1)
    f = t.add_(s).div_(1 + s).mul_(math.pi / 2).cos_().square_()
    f /= f[0].clone()
    betas = 1 - f[1:] / f[:-1]
    return betas.clamp_(max=0.999)


class FiLMBlock(nn.Module):
    def __init__(self, ch, emb):
        super().__init__()
        self.norm1, self.norm2 = nn.GroupNorm(2, ch), nn.GroupNorm(2, ch)
        self.conv1 = nn.Conv2d(ch, ch, 3, padding=1)
        self.conv2 = nn.Conv2d(ch, ch, 3, padding=1)
        self.film = nn.Linear(emb, 2 * ch)
        nn.init.zeros_(self.conv2.bias)
        self.conv2.weight.data.mul_(1e-2)

    def forward(self, x, emb):
        h = self.conv1(F.silu(self.norm1(x)))
        scale, shift = self.film(emb)[:, :, None, None].chunk(2, 1)
        h = self.norm2(h) * (1 + scale)
        h += shift
        h = self.conv2(F.silu(h, inplace=False))
        h += x
        return h


class Denoiser(nn.Module):
    def __init__(self, classes, ch=4, emb=8):
        super().__init__()
        self.null = classes
        self.cls = nn.Embedding(classes + 1, emb)
        self.time = nn.Sequential(nn.Linear(1, emb), nn.SiLU(), nn.Linear(emb, emb))
        self.inp, self.out = nn.Conv2d(1, ch, 3, padding=1), nn.Conv2d(ch, 1, 3, padding=1)
        self.blocks = nn.ModuleList(FiLMBlock(ch, emb) for _ in range(2))

    def forward(self, x, t, y):
        emb = self.time(t[:, None])
        emb += self.cls(y)
        h = self.inp(x)
        for b in self.blocks:
            h = b(h, emb)
        return self.out(F.silu(h))


class GaussianDiffusion:
    def __init__(self, net, steps=10, p_null=0.2):
        self.net, self.steps, self.p_null = net, steps, p_null
        self.betas = cosine_alphas(steps)
        self.abar = (1 - self.betas).cumprod(0)

    def loss(self, x0, y):
        y = y.clone()
        y[torch.rand(len(y)) < self.p_null] = self.net.null
        t = torch.randint(0, self.steps, (len(x0),))
        a = self.abar[t].view(-1, 1, 1, 1)
        eps = torch.randn_like(x0)
        xt = eps.clone().mul_((1 - a).sqrt()).add_(a.sqrt() * x0)
        snr = (a / (1 - a)).flatten().clamp_(max=5.0)
        mse = (self.net(xt, t / self.steps, y) - eps).square().mean((1, 2, 3))
        return (mse * snr.div_(snr.mean())).mean()

    @torch.no_grad()
    def sample(self, y, size, guidance=2.0):
        x = torch.randn(len(y), 1, size, size)
        null = torch.full_like(y, self.net.null)
        for i in reversed(range(self.steps)):
            t = torch.full((len(y),), i / self.steps)
            cond, free = self.net(x, t, y), self.net(x, t, null)
            eps = free.lerp_(cond, guidance)
            b, a = self.betas[i], self.abar[i]
            x.sub_(eps * (b / (1 - a).sqrt())).div_((1 - b).sqrt())
            if i:
                x.add_(torch.randn_like(x), alpha=float(b.sqrt()))
        return x.clamp_(-1, 1)


# --- driver ---
torch.manual_seed(60)
net = Denoiser(3)
diff = GaussianDiffusion(net)
opt = torch.optim.Adam(net.parameters(), 1e-3)
for _ in range(2):
    opt.zero_grad()
    diff.loss(torch.rand(3, 1, 8, 8).mul_(2).sub_(1), torch.tensor([0, 1, 2])).backward()
    opt.step()
diff.sample(torch.tensor([0, 2]), 8)
