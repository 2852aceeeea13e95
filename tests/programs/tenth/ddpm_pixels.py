"""Denoising diffusion on tiny images: cosine schedule, time-conditioned conv net, EMA, ancestral sampling."""
import copy
import math

import torch
import torch.nn as nn
import torch.nn.functional as F


class CosineSchedule(nn.Module):
    def __init__(self, steps, s=0.008):
        super().__init__()
        t = torch.linspace(0, 1, steps + 1, dtype=torch.float64)
        bar = torch.cos((t + s) / (1 + s) * math.pi / 2).square_()
        bar /= bar[0].clone()
        beta = (1 - bar[1:] / bar[:-1]).clamp_(max=0.999)
        self.steps = steps
        self.register_buffer("beta", beta.float())
        self.register_buffer("bar", torch.cumprod(1 - beta, 0).float())

    def corrupt(self, x0, t, noise):
        bar = self.bar[t].view(-1, 1, 1, 1)
        xt = x0.clone()
        return xt.mul_(bar.sqrt()).addcmul_(noise, (1 - bar).sqrt_())


def timestep_features(t, dim):
    freq = torch.arange(dim // 2).mul(-math.log(1e4) / (dim // 2 - 1)).exp_()
    angle = t[:, None] * freq[None]
    out = torch.empty(len(t), dim)
    out[:, 0::2], out[:, 1::2] = angle.sin(), angle.cos()
    return out


class TimeBlock(nn.Module):
    def __init__(self, cin, cout, tdim):
        super().__init__()
        self.norm1, self.norm2 = nn.GroupNorm(4, cin), nn.GroupNorm(4, cout)
        self.conv1, self.conv2 = nn.Conv2d(cin, cout, 3, padding=1), nn.Conv2d(cout, cout, 3, padding=1)
        self.temb = nn.Linear(tdim, cout)
        self.skip = nn.Conv2d(cin, cout, 1) if cin != cout else nn.Identity()

    def forward(self, x, temb):
        h = self.conv1(F.silu(self.norm1(x)))
        h += self.temb(temb)[:, :, None, None]
        h = self.conv2(F.silu(self.norm2(h)))
        h += self.skip(x)
        return h


class TinyUNet(nn.Module):
    def __init__(self, ch=8, tdim=16):
        super().__init__()
        self.tdim = tdim
        self.time = nn.Sequential(nn.Linear(tdim, tdim), nn.SiLU(), nn.Linear(tdim, tdim))
        self.inp = nn.Conv2d(1, ch, 3, padding=1)
        self.down, self.mid, self.up = TimeBlock(ch, ch, tdim), TimeBlock(ch, 2 * ch, tdim), TimeBlock(3 * ch, ch, tdim)
        self.out = nn.Conv2d(ch, 1, 3, padding=1)

    def forward(self, x, t):
        temb = self.time(timestep_features(t, self.tdim))
        a = self.down(self.inp(x), temb)
        m = self.mid(F.avg_pool2d(a, 2), temb)
        return self.out(self.up(torch.cat([a, F.interpolate(m, scale_factor=2)], 1), temb))


class Diffusion(nn.Module):
    def __init__(self, net, schedule, ema=0.99):
        super().__init__()
        self.net, self.schedule, self.ema = net, schedule, ema
        self.slow = copy.deepcopy(net).requires_grad_(False)

    def loss(self, x0):
        t = torch.randint(self.schedule.steps, (len(x0),))
        noise = torch.randn_like(x0)
        return F.mse_loss(self.net(self.schedule.corrupt(x0, t, noise), t), noise)

    @torch.no_grad()
    def average(self):
        for s, p in zip(self.slow.parameters(), self.net.parameters()):
            s.mul_(self.ema).add_(p, alpha=1 - self.ema)

    @torch.no_grad()
    def sample(self, n, side=8):
        x = torch.randn(n, 1, side, side)
        for i in reversed(range(self.schedule.steps)):
            beta, bar = self.schedule.beta[i], self.schedule.bar[i]
            x.sub_(self.slow(x, torch.full((n,), i)) * (beta / (1 - bar).sqrt())).div_((1 - beta).sqrt())
            if i:
                x.add_(torch.randn_like(x) * beta.sqrt())
        return x.clamp_(-1, 1)


# --- driver ---
torch.manual_seed(17)
model = Diffusion(TinyUNet(), CosineSchedule(10))
opt = torch.optim.AdamW(model.net.parameters(), lr=2e-4)
for _ in range(3):
    loss = model.loss(torch.rand(6, 1, 8, 8) * 2 - 1)
    opt.zero_grad()
    loss.backward()
    opt.step()
    model.average()
model.sample(2)
