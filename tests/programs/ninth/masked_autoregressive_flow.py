import math

import torch
import torch.nn as nn
import torch.nn.functional as F


class MaskedLinear(nn.Linear):
    def __init__(self, i, o, in_deg, out_deg, strict):
        super().__init__(i, o)
        mask = torch.zeros(o, i)
        for r, d in enumerate(out_deg):
            ok = in_deg < d if strict else in_deg <= d
            mask[r, ok] = 1
        self.register_buffer("mask", mask)
        with torch.no_grad():
            self.weight.mul_(self.mask)

    def forward(self, x):
        return F.linear(x, self.weight * self.mask, self.bias)


class MADE(nn.Module):
    def __init__(self, d, h):
        super().__init__()
        deg = torch.arange(1, d + 1)
        hid = torch.arange(h) % max(1, d - 1)
        hid += 1
        self.l1 = MaskedLinear(d, h, deg, hid, False)
        self.l2 = MaskedLinear(h, 2 * d, hid, deg.repeat(2), True)

    def forward(self, x):
        shift, raw = self.l2(self.l1(x).relu_()).chunk(2, -1)
        return shift, raw.tanh()


class MAF(nn.Module):
    def __init__(self, d, h):
        super().__init__()
        self.net = MADE(d, h)

    def forward(self, x):
        shift, log_s = self.net(x)
        z = x - shift
        z = z * torch.exp(-log_s)
        return z, -log_s.sum(-1)

    @torch.no_grad()
    def inverse(self, z):
        x = torch.zeros_like(z)
        for i in range(z.size(1)):
            shift, log_s = self.net(x)
            x[:, i] = z[:, i] * log_s[:, i].exp_() + shift[:, i]
        return x


class CheckerCoupling(nn.Module):
    def __init__(self, d, h, parity):
        super().__init__()
        keep = torch.zeros(d, dtype=torch.bool)
        keep[parity::2] = True
        self.register_buffer("keep", keep)
        self.net = nn.Sequential(nn.Linear(int(keep.sum()), h), nn.ELU(inplace=True), nn.Linear(h, 2 * int((~keep).sum())))

    def forward(self, x):
        shift, log_s = self.net(x[:, self.keep]).chunk(2, -1)
        log_s = 1.5 * torch.tanh(log_s)
        y = x.clone()
        y[:, ~self.keep] = x[:, ~self.keep] * log_s.exp() + shift
        return y, log_s.sum(-1)


class DensityModel(nn.Module):
    def __init__(self, d=4, h=12):
        super().__init__()
        self.steps = nn.ModuleList([MAF(d, h), CheckerCoupling(d, h, 0), CheckerCoupling(d, h, 1)])

    def log_prob(self, x):
        logdet = torch.zeros(len(x))
        for s in self.steps:
            x, ld = s(x)
            logdet += ld
        out = -0.5 * x.pow(2).sum(-1)
        out -= 0.5 * x.size(1) * math.log(2 * math.pi)
        out += logdet
        return out


def dequantize(counts, levels):
    x = counts.float()
    x += torch.rand_like(x)
    x /= levels
    return x.mul_(0.98).add_(0.01).logit_()


def train(model, counts, levels, steps):
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    for _ in range(steps):
        loss = -model.log_prob(dequantize(counts, levels)).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
    return loss.item()


# --- driver ---
torch.manual_seed(19)
m = DensityModel()
print(train(m, torch.randint(0, 16, (12, 4)), 16, 2))
print(m.steps[0].inverse(torch.randn(3, 4)).shape)
