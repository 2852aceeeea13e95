"""Unconditional GAN with reused noise and label buffers and an image history pool."""
import random
import torch
import torch.nn as nn
import torch.nn.functional as F


def init_(m):
    if isinstance(m, (nn.Conv2d, nn.ConvTranspose2d)):
        nn.init.normal_(m.weight, 0.0, 0.02)
    elif isinstance(m, nn.BatchNorm2d):
        nn.init.normal_(m.weight, 1.0, 0.02)
        nn.init.zeros_(m.bias)


def G(nz, ch):
    return nn.Sequential(
        nn.ConvTranspose2d(nz, ch, 4), nn.BatchNorm2d(ch), nn.ReLU(True),
        nn.ConvTranspose2d(ch, 1, 4, 2, 1), nn.Tanh(),
    ).apply(init_)


def D(ch):
    return nn.Sequential(
        nn.Conv2d(1, ch, 4, 2, 1), nn.LeakyReLU(0.2, True),
        nn.Conv2d(ch, 1, 4), nn.Flatten(0),
    ).apply(init_)


class HistoryPool:
    def __init__(self, size):
        self.size, self.images = size, []

    def query(self, batch):
        out = batch.detach().clone()
        for i in range(len(out)):
            if len(self.images) < self.size:
                self.images.append(out[i].clone())
            elif random.random() > 0.5:
                j = random.randrange(self.size)
                old = self.images[j].clone()
                self.images[j].copy_(out[i])
                out[i] = old
        return out


class GANLoop:
    def __init__(self, batch=4, nz=5, ch=4, flip=0.1):
        self.g, self.d = G(nz, ch), D(ch)
        self.z = torch.empty(batch, nz, 1, 1)
        self.label = torch.empty(batch)
        self.flip = flip
        self.pool = HistoryPool(6)
        self.og = torch.optim.Adam(self.g.parameters(), 2e-4, (0.5, 0.999))
        self.od = torch.optim.Adam(self.d.parameters(), 2e-4, (0.5, 0.999))

    def targets(self, value):
        y = self.label.fill_(value).clone()
        noisy = torch.rand_like(y) < self.flip
        y[noisy] = 1 - y[noisy]
        return y.mul_(0.9).add_(0.05)

    def update_d(self, real, fake):
        self.od.zero_grad()
        loss = F.binary_cross_entropy_with_logits(self.d(real), self.targets(1.0))
        loss += F.binary_cross_entropy_with_logits(self.d(self.pool.query(fake)), self.targets(0.0))
        loss.backward()
        self.od.step()
        return loss.item()

    def update_g(self, fake):
        self.og.zero_grad()
        loss = F.binary_cross_entropy_with_logits(self.d(fake), self.label.fill_(1.0))
        loss.backward()
        self.og.step()
        return loss.item()

    def step(self, real):
        self.z.normal_()
        fake = self.g(self.z)
        d = self.update_d(real, fake)
        return d, self.update_g(fake)


# --- driver ---
torch.manual_seed(57); random.seed(57)
loop = GANLoop()
for _ in range(3):
    loop.step(torch.rand(4, 1, 8, 8).mul_(2).sub_(1))
