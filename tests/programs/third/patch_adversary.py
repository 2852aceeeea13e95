"""Conditional image translation with a patch discriminator."""
import torch
import torch.nn as nn
import torch.nn.functional as F
from types import SimpleNamespace


def conv_block(i, o, stride=1, norm=True):
    layers = [nn.Conv2d(i, o, 3, stride, 1, bias=not norm)]
    if norm:
        layers.append(nn.InstanceNorm2d(o, affine=True))
    layers.append(nn.LeakyReLU(0.2, inplace=True))
    return nn.Sequential(*layers)


class Generator(nn.Module):
    def __init__(self, ch=4):
        super().__init__()
        self.down = nn.Sequential(conv_block(1, ch), conv_block(ch, 2 * ch, 2))
        self.up = nn.ConvTranspose2d(2 * ch, ch, 4, 2, 1)
        self.rgb = nn.Conv2d(ch, 1, 1)

    def forward(self, x):
        return torch.tanh(self.rgb(F.relu(self.up(self.down(x)))))


class PatchD(nn.Module):
    def __init__(self, ch=4):
        super().__init__()
        self.net = nn.Sequential(conv_block(2, ch, 2, norm=False), conv_block(ch, 2 * ch, 2), nn.Conv2d(2 * ch, 1, 1))

    def forward(self, src, img):
        return self.net(torch.cat([src, img], 1))


class Translator:
    def __init__(self, opts):
        self.opts = opts
        self.G, self.D = Generator(), PatchD()
        adam = lambda m, lr: torch.optim.Adam(m.parameters(), lr=lr, betas=(0.5, 0.999))
        self.opt_g, self.opt_d = adam(self.G, opts.lr_g), adam(self.D, opts.lr_d)

    @staticmethod
    def hinge_d(real, fake):
        return F.relu(1 - real).mean() + F.relu(1 + fake).mean()

    def losses(self, src, tgt):
        fake = self.G(src)
        d_real = self.D(src, tgt)
        d_fake = self.D(src, fake.detach())
        adv = -self.D(src, fake).mean()
        rec = F.l1_loss(fake, tgt)
        return {"d": self.hinge_d(d_real, d_fake), "g": adv + self.opts.lam * rec}

    def optimise(self, src, tgt):
        out = self.losses(src, tgt)
        self.opt_d.zero_grad()
        out["d"].backward()
        self.opt_d.step()  # BUG
        self.opt_g.zero_grad()
        out["g"].backward()
        self.opt_g.step()
        return {k: v.item() for k, v in out.items()}

    def fit(self, pairs):
        return [self.optimise(s, t) for s, t in pairs]


def fake_pairs(n, size):
    for _ in range(n):
        src = torch.rand(2, 1, size, size) * 2 - 1
        yield src, -src.flip(-1)


# --- driver ---
torch.manual_seed(17)
Translator(SimpleNamespace(lr_g=2e-4, lr_d=2e-4, lam=10.0)).fit(fake_pairs(1, 8))
