import copy
import math

import torch
import torch.nn as nn
import torch.nn.functional as F


def cosine_betas(T, s=0.008):
    t = torch.linspace(0, T, T + 1)
    t.div_(T).add_(s).div_(1 + s).mul_(math.pi / 2)
    f = t.cos_().square_()
    return (1 - f[1:] / f[:-1]).clamp_(max=0.999)


class GaussianDiffusion(nn.Module):
    def __init__(self, net, T=8, p_uncond=0.1, objective="eps"):
        super().__init__()
        self.net, self.T, self.p_uncond, self.objective = net, T, p_uncond, objective
        betas = cosine_betas(T)
        ab = (1 - betas).cumprod(0)
        for name, val in {"betas": betas, "ab": ab, "sqrt_ab": ab.sqrt(), "sqrt_1mab": (1 - ab).sqrt()}.items():
            self.register_buffer(name, val)
        snr = ab / (1 - ab)
        self.register_buffer("weight", snr.clamp(max=5.0).div_(snr))
        self.register_buffer("loss_hist", torch.ones(T))

    def q_sample(self, x0, t, noise):
        x = x0 * self.sqrt_ab[t].view(-1, 1, 1, 1)
        x += self.sqrt_1mab[t].view(-1, 1, 1, 1) * noise
        return x

    def forward(self, x0, y):
        t = torch.multinomial(self.loss_hist, len(x0), replacement=True)
        noise = torch.randn_like(x0)
        y = y.clone()
        y[torch.rand(len(y)) < self.p_uncond] = self.net.null
        pred = self.net(self.q_sample(x0, t, noise), t, y)
        pred -= noise
        per = pred.square().mean((1, 2, 3))
        with torch.no_grad():
            self.loss_hist[t] = self.loss_hist[t] * 0.9 + per * 0.1
        return (per * self.weight[t]).mean()

    @torch.no_grad()
    def sample(self, y, shape, guidance=2.0):
        x = torch.randn(shape)
        null = torch.full_like(y, self.net.null)
        for i in reversed(range(self.T)):
            t = torch.full((shape[0],), i)
            eps = self.net(x, t, y)
            eps.mul_(guidance).sub_(self.net(x, t, null), alpha=guidance - 1)
            x.sub_(eps * (self.betas[i] / self.sqrt_1mab[i])).div_((1 - self.betas[i]).sqrt())
            if i:
                x.add_(torch.randn_like(x), alpha=float(self.betas[i].sqrt()))
        return x.clamp_(-1, 1)


class CondUNet(nn.Module):
    def __init__(self, n_cls, T, ch=8):
        super().__init__()
        self.null = n_cls
        self.cls, self.time = nn.Embedding(n_cls + 1, ch), nn.Embedding(T, ch)
        self.inp, self.mid, self.out = nn.Conv2d(1, ch, 3, 1, 1), nn.Conv2d(ch, ch, 3, 1, 1), nn.Conv2d(ch, 1, 3, 1, 1)
        self.norm = nn.GroupNorm(2, ch)

    def forward(self, x, t, y):
        emb = self.cls(y)
        emb += self.time(t)
        h = self.inp(x)
        h += emb[..., None, None]
        r = self.mid(F.silu(self.norm(h)))
        r += h
        return self.out(F.relu_(r))


class EMA:
    def __init__(self, model, beta=0.995):
        self.model = copy.deepcopy(model).requires_grad_(False)
        self.beta = beta

    @torch.no_grad()
    def update(self, model):
        src, dst = list(model.parameters()), list(self.model.parameters())
        torch._foreach_mul_(dst, self.beta)
        torch._foreach_add_(dst, src, alpha=1 - self.beta)


def train(diff, ema, loader, accumulate=2):
    opt = torch.optim.Adam(diff.parameters(), lr=1e-3)
    for i, (x, y) in enumerate(loader, 1):
        loss = diff(x.mul(2).sub_(1), y)
        loss /= accumulate
        loss.backward()
        if i % accumulate == 0:
            opt.step()
            opt.zero_grad()
            ema.update(diff)


# --- driver ---
torch.manual_seed(0)
diff = GaussianDiffusion(CondUNet(3, 8))
ema = EMA(diff)
train(diff, ema, [(torch.rand(4, 1, 6, 6), torch.randint(0, 3, (4,))) for _ in range(2)])
ema.model.sample(torch.tensor([0, 1]), (2, 1, 6, 6))
