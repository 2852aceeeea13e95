import argparse

import torch
from torch import nn, optim
import torch.nn.functional as F


def get_opts(argv=()):
    p = argparse.ArgumentParser()
    p.add_argument("--nz", type=int, default=8)
    p.add_argument("--ngf", type=int, default=8)
    p.add_argument("--ndf", type=int, default=8)
    p.add_argument("--lr", type=float, default=2e-4)
    p.add_argument("--smooth", type=float, default=0.9)
    return p.parse_args(list(argv))


def weights_init(m):
    name = m.__class__.__name__
    if "Conv" in name:
        nn.init.normal_(m.weight, 0.0, 0.02)
    elif "BatchNorm" in name:
        nn.init.normal_(m.weight, 1.0, 0.02)
        nn.init.zeros_(m.bias)


class Generator(nn.Module):
    def __init__(self, opt):
        super().__init__()
        self.main = nn.Sequential(
            nn.ConvTranspose2d(opt.nz, opt.ngf * 2, 4, 1, 0, bias=False),
            nn.BatchNorm2d(opt.ngf * 2),
            nn.ReLU(True),
            nn.ConvTranspose2d(opt.ngf * 2, opt.ngf, 4, 2, 1, bias=False),
            nn.BatchNorm2d(opt.ngf),
            nn.ReLU(True),
            nn.ConvTranspose2d(opt.ngf, 1, 4, 2, 1, bias=False),
            nn.Tanh(),
        )

    def forward(self, z):
        return self.main(z)


class Discriminator(nn.Module):
    def __init__(self, opt):
        super().__init__()
        self.main = nn.Sequential(
            nn.Conv2d(1, opt.ndf, 4, 2, 1, bias=False),
            nn.LeakyReLU(0.2, inplace=True),
            nn.Conv2d(opt.ndf, opt.ndf * 2, 4, 2, 1, bias=False),
            nn.LeakyReLU(0.2, inplace=True),
            nn.Conv2d(opt.ndf * 2, 1, 4, 1, 0, bias=False),
        )

    def forward(self, x):
        return self.main(x).view(-1)


class LetterGAN:
    def __init__(self, opt):
        self.opt = opt
        self.netG, self.netD = Generator(opt), Discriminator(opt)
        self.netG.apply(weights_init)
        self.netD.apply(weights_init)
        self.optG = optim.Adam(self.netG.parameters(), lr=opt.lr, betas=(0.5, 0.999))
        self.optD = optim.Adam(self.netD.parameters(), lr=opt.lr, betas=(0.5, 0.999))
        self.log = {"D": [], "G": []}

    def _bce(self, logits, value):
        target = torch.empty_like(logits).fill_(value)
        return F.binary_cross_entropy_with_logits(logits, target)

    def train_step(self, real):
        z = torch.randn(real.size(0), self.opt.nz, 1, 1)
        fake = self.netG(z)
        out_real = self.netD(real)
        out_fake = self.netD(fake)

        errD = self._bce(out_real, self.opt.smooth) + self._bce(out_fake, 0.0)
        errG = self._bce(out_fake, 1.0)

        self.optD.zero_grad()
        errD.backward(retain_graph=True)
        self.optD.step()  # BUG

        self.optG.zero_grad()
        errG.backward()
        self.optG.step()
        self.log["D"].append(errD.item())
        self.log["G"].append(errG.item())

    @torch.no_grad()
    def preview(self, n=4):
        self.netG.eval()
        img = self.netG(torch.randn(n, self.opt.nz, 1, 1))
        img.add_(1).div_(2).clamp_(0, 1)
        self.netG.train()
        return img


# --- driver ---
torch.manual_seed(0)
gan = LetterGAN(get_opts())
for _ in range(2):
    gan.train_step(torch.rand(4, 1, 16, 16) * 2 - 1)
