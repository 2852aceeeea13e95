"""Non-saturating GAN with differentiable augmentation, lazy R1, adaptive augment strength and generator EMA."""
import copy
from contextlib import contextmanager

import torch
import torch.nn as nn
import torch.nn.functional as F


class DiffAugment:
    def __init__(self, p=0.3):
        self.p = p

    def brightness(self, x):
        return x + (torch.rand(len(x), 1, 1, 1) - 0.5)

    def shift(self, x, reach=2):
        dy, dx = torch.randint(-reach, reach + 1, (2,)).tolist()
        return torch.roll(F.pad(x, (reach,) * 4), (dy, dx), (2, 3))[..., reach:-reach, reach:-reach]

    def cutout(self, x, side=4):
        keep = torch.ones(len(x), 1, *x.shape[2:])
        for row in keep:
            y0, x0 = torch.randint(0, x.shape[-1] - side, (2,)).tolist()
            row[:, y0:y0 + side, x0:x0 + side] = 0
        return x * keep

    def __call__(self, x):
        for op in (self.brightness, self.shift, self.cutout):
            chosen = torch.rand(len(x), 1, 1, 1) < self.p
            x = torch.where(chosen, op(x), x)
        return x

    def adapt(self, overfit, target=0.6, rate=0.01):
        self.p = min(0.8, max(0.0, self.p + (rate if overfit > target else -rate)))


class ModulatedBlock(nn.Module):
    def __init__(self, cin, cout, zdim):
        super().__init__()
        self.conv = nn.Conv2d(cin, cout, 3, padding=1)
        self.style = nn.Linear(zdim, 2 * cout)
        self.noise_gain = nn.Parameter(torch.zeros(cout, 1, 1))

    def forward(self, x, w):
        x = self.conv(F.interpolate(x, scale_factor=2))
        x += self.noise_gain * torch.randn(len(x), 1, *x.shape[2:])
        scale, shift = self.style(w)[:, :, None, None].chunk(2, 1)
        x = F.instance_norm(x) * (1 + scale)
        x += shift
        return F.leaky_relu_(x, 0.2)


class Generator(nn.Module):
    def __init__(self, zdim=8, ch=8):
        super().__init__()
        self.zdim = zdim
        self.map = nn.Sequential(nn.Linear(zdim, zdim), nn.LeakyReLU(0.2), nn.Linear(zdim, zdim))
        self.start = nn.Parameter(torch.randn(1, ch, 3, 3))
        self.blocks = nn.ModuleList([ModulatedBlock(ch, ch, zdim), ModulatedBlock(ch, ch, zdim)])
        self.rgb = nn.Conv2d(ch, 1, 1)
        self.register_buffer("w_mean", torch.zeros(zdim))

    def forward(self, z):
        w = self.map(F.normalize(z, dim=1))
        if self.training:
            self.w_mean.lerp_(w.detach().mean(0), 0.01)
        x = self.start.expand(len(z), -1, -1, -1)
        for block in self.blocks:
            x = block(x, w)
        return self.rgb(x).tanh_()


def critic(ch=8):
    return nn.Sequential(nn.Conv2d(1, ch, 3, 2, 1), nn.LeakyReLU(0.2), nn.Conv2d(ch, 2 * ch, 3, 2, 1),
                         nn.LeakyReLU(0.2), nn.Flatten(), nn.Linear(2 * ch * 9, 1))


@contextmanager
def frozen(module):
    module.requires_grad_(False)
    yield
    module.requires_grad_(True)


class GANTrainer:
    def __init__(self, r1=1.0, lazy=2, ema=0.9):
        self.g, self.d, self.aug = Generator(), critic(), DiffAugment()
        self.g_ema = copy.deepcopy(self.g).eval().requires_grad_(False)
        self.opt_g, self.opt_d = (torch.optim.Adam(m.parameters(), 1e-3, betas=(0.0, 0.99)) for m in (self.g, self.d))
        self.r1, self.lazy, self.ema, self.t = r1, lazy, ema, 0
        self.sign = torch.zeros(())

    def d_step(self, real):
        with torch.no_grad():
            fake = self.g(torch.randn(len(real), self.g.zdim))
        on_real = self.d(self.aug(real))
        loss = F.softplus(-on_real).mean() + F.softplus(self.d(self.aug(fake))).mean()
        if self.t % self.lazy == 0:
            x = real.clone().requires_grad_()
            (g,) = torch.autograd.grad(self.d(x).sum(), x, create_graph=True)
            loss += 0.5 * self.r1 * self.lazy * g.square().sum((1, 2, 3)).mean()
        self.opt_d.zero_grad()
        loss.backward()
        self.opt_d.step()
        self.sign.lerp_(on_real.detach().sign_().mean(), 0.1)

    def g_step(self, n):
        with frozen(self.d):
            loss = F.softplus(-self.d(self.aug(self.g(torch.randn(n, self.g.zdim))))).mean()
            self.opt_g.zero_grad()
            loss.backward()
        self.opt_g.step()

    @torch.no_grad()
    def track(self):
        torch._foreach_lerp_(list(self.g_ema.parameters()), list(self.g.parameters()), 1 - self.ema)
        self.g_ema.w_mean.copy_(self.g.w_mean)

    def step(self, real):
        self.d_step(real), self.g_step(len(real)), self.track()
        self.aug.adapt(float(self.sign))
        self.t += 1


# --- driver ---
torch.manual_seed(56)
trainer = GANTrainer()
for _ in range(3):
    trainer.step(torch.rand(6, 1, 12, 12) * 2 - 1)
