"""Noise injection by forward hooks on the synthesis convolutions, lazy R1 on the critic, EMA generator."""
import copy
import torch
from torch import nn
import torch.nn.functional as F


class NoiseInjector(nn.Module):
    """Learned per-channel strength for each hooked layer."""

    def __init__(self, net: nn.Module, kinds=(nn.Conv2d,)):
        super().__init__()
        self.strength = nn.ParameterDict()
        for name, mod in net.named_modules():
            if isinstance(mod, kinds) and mod.out_channels > 1:
                key = name.replace(".", "_")
                self.strength[key] = nn.Parameter(torch.full((mod.out_channels,), 0.1))
                mod.register_forward_hook(self.hook(key))

    def hook(self, key):
        def fn(module, inputs, out):
            b, _, h, w = out.shape
            out += self.strength[key].view(1, -1, 1, 1) * torch.randn(b, 1, h, w)
            return out
        return fn


class Synthesis(nn.Module):
    def __init__(self, z=8, c=12):
        super().__init__()
        self.const = nn.Parameter(torch.randn(1, c, 4, 4))
        self.style = nn.Linear(z, 2 * c)
        self.c0 = nn.Conv2d(c, c, 3, padding=1)
        self.c1 = nn.Conv2d(c, c, 3, padding=1)
        self.rgb = nn.Conv2d(c, 1, 1)

    def modulate(self, x, s):
        g, b = s[..., None, None].chunk(2, 1)
        return F.instance_norm(x) * (1 + g) + b

    def forward(self, z):
        s = self.style(F.normalize(z, dim=1))
        x = F.leaky_relu(self.c0(self.const.expand(len(z), -1, -1, -1)), 0.2)
        x = F.interpolate(self.modulate(x, s), scale_factor=2)
        x = F.leaky_relu(self.c1(x), 0.2)
        return self.rgb(self.modulate(x, s))


class MiniBatchStd(nn.Module):
    def forward(self, x):
        sd = (x.var(0, unbiased=False) + 1e-8).sqrt().mean()
        return torch.cat([x, sd.expand(len(x), 1, *x.shape[2:])], 1)


def critic(c=12):
    return nn.Sequential(nn.Conv2d(1, c, 3, 2, 1), nn.LeakyReLU(0.2, inplace=True), MiniBatchStd(),
                         nn.Conv2d(c + 1, c, 3, 2, 1), nn.LeakyReLU(0.2, inplace=True), nn.Flatten(), nn.Linear(4 * c, 1))


def r1(d, real, gamma=1.0):
    real = real.detach().requires_grad_()
    (g,) = torch.autograd.grad(d(real).sum(), real, create_graph=True)
    return 0.5 * gamma * g.square().sum((1, 2, 3)).mean()


class StyleGAN:
    def __init__(self, z=8, r1_every=2):
        self.z, self.r1_every = z, r1_every
        self.g, self.d = Synthesis(z), critic()
        self.ema = copy.deepcopy(self.g).requires_grad_(False)
        self.noise = NoiseInjector(self.g)
        self.og = torch.optim.Adam([*self.g.parameters(), *self.noise.parameters()], 2e-3, betas=(0.0, 0.99))
        self.od = torch.optim.Adam(self.d.parameters(), 2e-3, betas=(0.0, 0.99))

    def fake(self, n):
        return self.g(torch.randn(n, self.z))

    def iterate(self, real, it):
        ld = F.softplus(self.d(self.fake(len(real)).detach())).mean() + F.softplus(-self.d(real)).mean()
        if it % self.r1_every == 0:
            ld = ld + r1(self.d, real) * self.r1_every
        self.od.zero_grad()
        ld.backward()
        self.od.step()
        lg = F.softplus(-self.d(self.fake(len(real)))).mean()
        self.og.zero_grad()
        lg.backward()
        self.og.step()
        with torch.no_grad():
            for e, p in zip(self.ema.parameters(), self.g.parameters()):
                e.lerp_(p, 0.05)
        return ld.item(), lg.item()


# --- driver ---
torch.manual_seed(0)
gan = StyleGAN()
for it in range(4):
    print(it, *gan.iterate(torch.rand(6, 1, 8, 8), it))
