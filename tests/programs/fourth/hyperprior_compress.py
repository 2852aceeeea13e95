import math

import torch
import torch.nn as nn
import torch.nn.functional as F


class GDN(nn.Module):
    def __init__(self, ch, inverse=False, eps=1e-6):
        super().__init__()
        self.inverse, self.eps = inverse, eps
        self.beta = nn.Parameter(torch.ones(ch))
        self.gamma = nn.Parameter(0.1 * torch.eye(ch))

    def forward(self, x):
        c = x.shape[1]
        weight = self.gamma.clamp(min=0).view(c, c, 1, 1)
        norm = torch.sqrt(F.conv2d(x.pow(2), weight, self.beta.clamp(min=1e-6)))
        norm += self.eps  # BUG
        return x * norm if self.inverse else x / norm


class NormalRate(nn.Module):
    def forward(self, y, scale):
        scale = scale.clamp(min=0.11)
        half = 0.5
        upper = self.cdf((y + half) / scale)
        lower = self.cdf((y - half) / scale)
        return (upper - lower).clamp(min=1e-9)

    @staticmethod
    def cdf(v):
        return 0.5 * torch.erfc(-v / math.sqrt(2))


def quantise(y, training):
    if training:
        return y + torch.empty_like(y).uniform_(-0.5, 0.5)
    return y.round()


class HyperCodec(nn.Module):
    def __init__(self, ch=6):
        super().__init__()
        self.analysis = nn.Sequential(
            nn.Conv2d(3, ch, 5, 2, 2), GDN(ch), nn.Conv2d(ch, ch, 5, 2, 2))
        self.synthesis = nn.Sequential(
            nn.ConvTranspose2d(ch, ch, 4, 2, 1), GDN(ch, inverse=True), nn.ConvTranspose2d(ch, 3, 4, 2, 1))
        self.hyper_a = nn.Conv2d(ch, ch, 3, padding=1)
        self.hyper_s = nn.Conv2d(ch, ch, 3, padding=1)
        self.prior_scale = nn.Parameter(torch.ones(ch, 1, 1))
        self.rate = NormalRate()

    def forward(self, x):
        y = self.analysis(x)
        z = quantise(self.hyper_a(y.abs()), self.training)
        scale = F.softplus(self.hyper_s(z))
        y_hat = quantise(y, self.training)
        bits = -torch.log2(self.rate(y_hat, scale)).sum()
        bits = bits - torch.log2(self.rate(z, F.softplus(self.prior_scale))).sum()
        return self.synthesis(y_hat), bits


class RateDistortion:
    def __init__(self, lmbda):
        self.lmbda = lmbda
        self.log = []

    def __call__(self, x, x_hat, bits):
        pixels = x.shape[0] * x.shape[2] * x.shape[3]
        bpp = bits / pixels
        mse = F.mse_loss(x_hat, x)
        self.log.append((bpp.item(), mse.item()))
        return bpp + self.lmbda * 255 ** 2 * mse


def train(codec, images, criterion, lr=1e-4):
    opt = torch.optim.Adam(codec.parameters(), lr=lr)
    for x in images:
        opt.zero_grad()
        loss = criterion(x, *codec(x))
        loss.backward()
        torch.nn.utils.clip_grad_norm_(codec.parameters(), 1.0)
        opt.step()


# --- driver ---
torch.manual_seed(0)
train(HyperCodec(), [torch.rand(2, 3, 16, 16)], RateDistortion(0.01))
