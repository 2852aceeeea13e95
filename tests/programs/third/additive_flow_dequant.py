"""Additive couplings, an invertible mixing matrix and dequantised integer data."""
import torch
from torch import nn


class ActNorm(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.log_s, self.b = nn.Parameter(torch.zeros(d)), nn.Parameter(torch.zeros(d))
        self.register_buffer("initialised", torch.zeros((), dtype=torch.bool))

    @torch.no_grad()
    def data_init(self, x):
        self.b.copy_(x.mean(0)).neg_()
        self.log_s.copy_(x.std(0)).add_(1e-6).log_().neg_()
        self.initialised.fill_(True)

    def forward(self, x, logdet):
        if not self.initialised:
            self.data_init(x)
        logdet += self.log_s.sum()
        return (x + self.b) * self.log_s.exp(), logdet


class LUMix(nn.Module):
    def __init__(self, d):
        super().__init__()
        p, l, u = torch.linalg.lu(torch.linalg.qr(torch.randn(d, d)).Q)
        self.register_buffer("p", p)
        self.register_buffer("mask", torch.tril(torch.ones(d, d), -1))
        diag = u.diagonal().clone()
        self.register_buffer("sign", diag.sign())
        self.log_d = nn.Parameter(diag.abs_().log_())
        self.l, self.u = nn.Parameter(l), nn.Parameter(u.fill_diagonal_(0))

    def matrix(self):
        low = self.l * self.mask
        low.diagonal().fill_(1.0)
        up = self.u * self.mask.t()
        up = up + torch.diag(self.sign * self.log_d.exp())
        return self.p @ low @ up

    def forward(self, x, logdet):
        logdet += self.log_d.sum()
        return x @ self.matrix().t(), logdet


class AdditiveCoupling(nn.Module):
    def __init__(self, d, h, swap):
        super().__init__()
        idx = torch.arange(d)
        cut = idx < d // 2
        self.register_buffer("keep", idx[cut ^ swap])
        self.register_buffer("move", idx[~(cut ^ swap)])
        self.net = nn.Sequential(nn.Linear(len(self.keep), h), nn.ReLU(inplace=True), nn.Linear(h, len(self.move)))

    def forward(self, x, logdet):
        y = x.clone()
        y[:, self.move] += self.net(x[:, self.keep])
        return y, logdet


class Glow1d(nn.Module):
    def __init__(self, d, depth, h=12, levels=8):
        super().__init__()
        self.levels = levels
        self.steps = nn.ModuleList()
        for i in range(depth):
            self.steps.extend([ActNorm(d), LUMix(d), AdditiveCoupling(d, h, bool(i % 2))])

    def dequantise(self, ints):
        x = ints.float()
        x.add_(torch.rand_like(x)).div_(self.levels)
        return x.mul_(0.9).add_(0.05).logit_()

    def bits(self, ints):
        x = self.dequantise(ints)
        logdet = torch.zeros(len(x))
        for s in self.steps:
            x, logdet = s(x, logdet)
        logp = x.square().mul(-0.5).sum(-1)
        logp += logdet
        return -logp.mean() / (x.shape[1] * 0.6931)


def fit(flow, data, lr=1e-3):
    opt = torch.optim.Adam(flow.parameters(), lr)
    for ints in data:
        opt.zero_grad()
        flow.bits(ints).backward()
        opt.step()


# --- driver ---
torch.manual_seed(61)
fit(Glow1d(4, 2), torch.randint(0, 8, (2, 16, 4)))
