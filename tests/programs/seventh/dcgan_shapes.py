"""Small DCGAN on synthetic blobs, written after the usual tutorial layout."""
from __future__ import annotations

import argparse
from typing import Dict, Iterator

import torch
import torch.nn as nn
import torch.nn.functional as F


def weights_init(m: nn.Module) -> None:
    name = m.__class__.__name__
    if "Conv" in name:
        nn.init.normal_(m.weight.data, 0.0, 0.02)
    elif "BatchNorm" in name:
        nn.init.normal_(m.weight.data, 1.0, 0.02)
        nn.init.zeros_(m.bias.data)


def up(cin, cout, last=False):
    mods = [nn.ConvTranspose2d(cin, cout, 4, 2, 1, bias=False)]
    mods += [nn.Tanh()] if last else [nn.BatchNorm2d(cout), nn.ReLU(True)]
    return mods


def down(cin, cout):
    return [nn.Conv2d(cin, cout, 4, 2, 1, bias=False), nn.LeakyReLU(0.2, inplace=True)]


class Generator(nn.Module):
    def __init__(self, nz: int, ngf: int):
        super().__init__()
        self.nz = nz
        self.fc = nn.Linear(nz, ngf * 2 * 16)
        self.main = nn.Sequential(*up(ngf * 2, ngf), *up(ngf, 1, last=True))

    def forward(self, z):
        return self.main(F.relu(self.fc(z)).view(z.size(0), -1, 4, 4))


class Discriminator(nn.Module):
    def __init__(self, ndf: int):
        super().__init__()
        self.main = nn.Sequential(*down(1, ndf), *down(ndf, ndf * 2))
        self.head = nn.Linear(ndf * 2 * 16, 1)

    def forward(self, x):
        return self.head(self.main(x).flatten(1)).squeeze(1)


def blobs(batch: int) -> Iterator[torch.Tensor]:
    grid = torch.linspace(-1, 1, 16)
    yy, xx = torch.meshgrid(grid, grid, indexing="ij")
    while True:
        c = torch.rand(batch, 2) - 0.5
        d = (xx - c[:, 0, None, None]) ** 2 + (yy - c[:, 1, None, None]) ** 2
        yield (torch.exp(-8 * d) * 2 - 1).unsqueeze(1)


class Trainer:
    def __init__(self, opt: argparse.Namespace):
        self.opt = opt
        self.netG = Generator(opt.nz, opt.ngf).apply(weights_init)
        self.netD = Discriminator(opt.ndf).apply(weights_init)
        self.optG = torch.optim.Adam(self.netG.parameters(), lr=opt.lr, betas=(0.5, 0.999))
        self.optD = torch.optim.Adam(self.netD.parameters(), lr=opt.lr, betas=(0.5, 0.999))
        self.log: Dict[str, float] = {}

    def step(self, real: torch.Tensor) -> Dict[str, float]:
        b = real.size(0)
        ones, zeros = real.new_ones(b), real.new_zeros(b)
        fake = self.netG(torch.randn(b, self.opt.nz))

        errD = F.binary_cross_entropy_with_logits(self.netD(real), ones)
        errD = errD + F.binary_cross_entropy_with_logits(self.netD(fake.detach()), zeros)
        errG = F.binary_cross_entropy_with_logits(self.netD(fake), ones)

        self.optD.zero_grad()
        errD.backward()
        self.optD.step()  # BUG

        self.optG.zero_grad()
        errG.backward()
        self.optG.step()
        self.log.update(d=errD.item(), g=errG.item())
        return self.log


def fit(opt: argparse.Namespace) -> Trainer:
    trainer = Trainer(opt)
    for i, batch in enumerate(blobs(opt.batch)):
        if i >= opt.iters:
            break
        trainer.step(batch)
    return trainer


# --- driver ---
torch.manual_seed(0)
fit(argparse.Namespace(nz=8, ngf=4, ndf=4, lr=2e-4, batch=3, iters=1))
