"""Class-conditional DCGAN with a joint update of both networks per batch."""
from dataclasses import dataclass

import torch
import torch.nn as nn
import torch.nn.functional as F


@dataclass
class GANConfig:
    z_dim: int = 16
    classes: int = 4
    ngf: int = 8
    ndf: int = 8
    lr: float = 2e-4
    real_label: float = 0.9


class CondBatchNorm(nn.Module):
    def __init__(self, ch, classes):
        super().__init__()
        self.bn = nn.BatchNorm2d(ch, affine=False)
        self.gain, self.bias = nn.Embedding(classes, ch), nn.Embedding(classes, ch)
        nn.init.ones_(self.gain.weight)
        nn.init.zeros_(self.bias.weight)

    def forward(self, x, y):
        return self.bn(x) * self.gain(y)[:, :, None, None] + self.bias(y)[:, :, None, None]


class Generator(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.fc = nn.Linear(cfg.z_dim, cfg.ngf * 2 * 16)
        self.up1 = nn.ConvTranspose2d(cfg.ngf * 2, cfg.ngf, 4, 2, 1)
        self.n1 = CondBatchNorm(cfg.ngf, cfg.classes)
        self.up2 = nn.ConvTranspose2d(cfg.ngf, 1, 4, 2, 1)

    def forward(self, z, y):
        h = F.relu(self.fc(z)).unflatten(1, (-1, 4, 4))
        h = F.relu(self.n1(self.up1(h), y))
        return torch.tanh(self.up2(h))


class Discriminator(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(1, cfg.ndf, 4, 2, 1), nn.LeakyReLU(0.2, inplace=True),
            nn.Conv2d(cfg.ndf, cfg.ndf * 2, 4, 2, 1), nn.LeakyReLU(0.2, inplace=True),
        )
        self.out = nn.Linear(cfg.ndf * 2, 1)
        self.emb = nn.Embedding(cfg.classes, cfg.ndf * 2)

    def forward(self, x, y):
        h = self.body(x).sum((2, 3))
        return self.out(h).squeeze(1) + (self.emb(y) * h).sum(1)


class GANTrainer:
    def __init__(self, cfg=GANConfig()):
        self.cfg = cfg
        self.g, self.d = Generator(cfg), Discriminator(cfg)
        betas = (0.5, 0.999)
        self.opt_g = torch.optim.Adam(self.g.parameters(), cfg.lr, betas)
        self.opt_d = torch.optim.Adam(self.d.parameters(), cfg.lr, betas)
        self.bce = nn.BCEWithLogitsLoss()

    def sample(self, n):
        z = torch.randn(n, self.cfg.z_dim)
        y = torch.randint(0, self.cfg.classes, (n,))
        return self.g(z, y), y

    def train_batch(self, real, labels):
        n = real.size(0)
        ones = torch.full((n,), self.cfg.real_label)
        zeros = torch.zeros(n)
        fake, fy = self.sample(n)

        pred_real = self.d(real, labels)
        pred_fake = self.d(fake, fy)
        loss_d = self.bce(pred_real, ones) + self.bce(pred_fake, zeros)
        loss_g = self.bce(pred_fake, torch.ones(n))

        self.opt_d.zero_grad()
        loss_d.backward(retain_graph=True)
        self.opt_d.step()  # BUG

        self.opt_g.zero_grad()
        loss_g.backward()
        self.opt_g.step()
        return {"d": loss_d.item(), "g": loss_g.item()}


# --- driver ---
torch.manual_seed(0)
GANTrainer().train_batch(torch.rand(4, 1, 16, 16) * 2 - 1, torch.randint(0, 4, (4,)))
