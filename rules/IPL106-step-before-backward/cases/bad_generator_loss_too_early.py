"""The generator's loss is computed by the discriminator before the discriminator's step."""

import torch
import torch.nn.functional as F
from torch import nn


def train_step(generator, discriminator, real, opt_g, opt_d):
    fake = generator(torch.randn(real.shape[0], 4))
    ones, zeros = torch.ones(real.shape[0], 1), torch.zeros(real.shape[0], 1)

    d_real = discriminator(real)
    d_fake = discriminator(fake.detach())
    d_loss = F.binary_cross_entropy_with_logits(d_real, ones)
    d_loss = d_loss + F.binary_cross_entropy_with_logits(d_fake, zeros)
    g_loss = F.binary_cross_entropy_with_logits(discriminator(fake), ones)

    opt_d.zero_grad()
    d_loss.backward()
    opt_d.step()  # expect: IPL106

    opt_g.zero_grad()
    g_loss.backward()
    opt_g.step()


if __name__ == "__main__":
    generator = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 6))
    discriminator = nn.Sequential(nn.Linear(6, 8), nn.LeakyReLU(0.2), nn.Linear(8, 1))
    opt_g = torch.optim.Adam(generator.parameters())
    opt_d = torch.optim.Adam(discriminator.parameters())
    train_step(generator, discriminator, torch.randn(5, 6), opt_g, opt_d)
