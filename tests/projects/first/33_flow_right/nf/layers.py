import torch
import torch.nn as nn


class ActNorm(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.loc, self.logs = nn.Parameter(torch.zeros(d)), nn.Parameter(torch.zeros(d))
        self.register_buffer("initialized", torch.tensor(0, dtype=torch.uint8))

    def initialize(self, x):
        with torch.no_grad():
            self.loc.copy_(-x.mean(0))
            self.logs.copy_(-(x.std(0) + 1e-6).log())

    def forward(self, x):
        if self.initialized.item() == 0:
            self.initialize(x)
            self.initialized.fill_(1)
        return (x + self.loc) * self.logs.exp(), self.logs.sum().expand(x.size(0))


class MaskedCoupling(nn.Module):
    def __init__(self, d, parity):
        super().__init__()
        m = torch.zeros(d)
        m[parity::2] = 1
        self.register_buffer("mask", m)
        self.net = nn.Sequential(nn.Linear(d, 16), nn.ReLU(inplace=True), nn.Linear(16, 2 * d))
        self.net[-1].weight.data.zero_()
        self.net[-1].bias.data.zero_()

    def forward(self, x):
        keep = x * self.mask
        s, t = self.net(keep).chunk(2, 1)
        s = torch.tanh(s) * (1 - self.mask)
        y = torch.empty_like(x)
        k, c = self.mask.bool(), (1 - self.mask).bool()
        y[:, k] = x[:, k]
        y[:, c] = (x * s.exp() + t)[:, c]
        return y, s.sum(1)

    def inverse(self, y):
        keep = y * self.mask
        s, t = self.net(keep).chunk(2, 1)
        s = torch.tanh(s) * (1 - self.mask)
        out = y.sub(t * (1 - self.mask))
        out.mul_((-s).exp())
        return out


class LULinear(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.L, self.U = nn.Parameter(torch.zeros(d, d)), nn.Parameter(torch.zeros(d, d))
        self.logd = nn.Parameter(torch.zeros(d))

    def weight(self):
        L = self.L.tril(-1)
        L.diagonal().fill_(1.0)
        U = self.U.triu(1)
        U = U + self.logd.exp().diag()
        return L @ U

    def forward(self, x):
        return x @ self.weight().t(), self.logd.sum().expand(x.size(0))
