"""Compact Glow with masked couplings and invertible channel mixing."""
import math

import torch
import torch.nn as nn
import torch.nn.functional as F


def squeeze2d(x):
    b, c, h, w = x.shape
    return x.view(b, c, h // 2, 2, w // 2, 2).permute(0, 1, 3, 5, 2, 4).reshape(b, c * 4, h // 2, w // 2)


class InvertibleMix(nn.Module):
    def __init__(self, ch):
        super().__init__()
        q = torch.linalg.qr(torch.randn(ch, ch))[0]
        p, l, u = torch.linalg.lu(q)
        self.register_buffer("p", p)
        self.register_buffer("tri", torch.ones(ch, ch).tril_(-1))
        self.register_buffer("sign", u.diag().sign())
        self.log_s = nn.Parameter(u.diag().abs_().log_())
        self.l = nn.Parameter(l)
        self.u = nn.Parameter(u.triu_(1))

    def weight(self):
        l = self.l * self.tri
        l.diagonal().fill_(1.0)
        u = self.u * self.tri.t()
        u.diagonal().add_(self.sign * self.log_s.exp())
        return self.p @ l @ u

    def forward(self, x):
        ld = self.log_s.sum() * x.size(2) * x.size(3)
        return F.conv2d(x, self.weight()[:, :, None, None]), ld.expand(x.size(0))


class ZeroConv(nn.Conv2d):
    def __init__(self, cin, cout):
        super().__init__(cin, cout, 3, padding=1)
        with torch.no_grad():
            self.weight.normal_(0, 1e-2)
            self.bias.zero_()


class AffineCoupling(nn.Module):
    def __init__(self, ch, hid):
        super().__init__()
        self.half = ch // 2
        self.net = nn.Sequential(
            nn.Conv2d(self.half, hid, 3, padding=1), nn.ReLU(inplace=True),
            nn.Conv2d(hid, hid, 1), nn.ReLU(inplace=True), ZeroConv(hid, 2 * (ch - self.half)))

    def forward(self, x):
        shift, raw = self.net(x[:, :self.half]).chunk(2, 1)
        log_s = F.logsigmoid(raw + 2.0)
        y = x.clone()
        y[:, self.half:] += shift
        y[:, self.half:] *= log_s.exp()
        return y, log_s.flatten(1).sum(1)


class Glow(nn.Module):
    def __init__(self, ch=4, hid=8, depth=2):
        super().__init__()
        self.steps = nn.ModuleList()
        for _ in range(depth):
            self.steps.append(InvertibleMix(ch))
            self.steps.append(AffineCoupling(ch, hid))

    def forward(self, x):
        z = squeeze2d(x)
        logdet = torch.zeros(x.size(0))
        for s in self.steps:
            z, ld = s(z)
            logdet += ld
        return z, logdet

    def bits_per_dim(self, x, levels=256):
        z, logdet = self(x)
        logp = z.pow(2).add(math.log(2 * math.pi)).mul(-0.5).flatten(1).sum(1)
        logp += logdet
        n = x[0].numel()
        return (-logp / n + math.log(levels)) / math.log(2)


def dequantize(img, levels=256):
    x = img.float()
    x.add_(torch.rand_like(x)).div_(levels)
    return x.sub_(0.5)


class MovingAverage:
    def __init__(self, beta=0.9):
        self.value, self.beta = torch.zeros(()), beta

    def update(self, v):
        self.value.mul_(self.beta).add_(v.detach(), alpha=1 - self.beta)


def train(model, steps, lr=1e-3):
    opt = torch.optim.Adamax(model.parameters(), lr=lr)
    avg = MovingAverage()
    for _ in range(steps):
        x = dequantize(torch.randint(0, 256, (3, 1, 8, 8)))
        loss = model.bits_per_dim(x).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        avg.update(loss)
    return avg.value.item()


# --- driver ---
torch.manual_seed(0)
train(Glow(), steps=2)
