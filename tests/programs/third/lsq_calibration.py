"""Learned step size quantisation, with histogram calibration ahead of training."""
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.autograd import Function


class RoundPass(Function):
    @staticmethod
    def forward(ctx, x):
        return x.round()

    @staticmethod
    def backward(ctx, g):
        return g


class GradScale(Function):
    @staticmethod
    def forward(ctx, x, s):
        ctx.s = s
        return x.clone()

    @staticmethod
    def backward(ctx, g):
        return g * ctx.s, None


class Histogram:
    def __init__(self, bins=32):
        self.counts = torch.zeros(bins)
        self.top = torch.zeros(())

    @torch.no_grad()
    def collect(self, x):
        peak = x.abs().max()
        if peak > self.top:
            if self.top > 0:
                idx = (torch.arange(len(self.counts)) * (self.top / peak)).long()
                moved = torch.zeros_like(self.counts).index_add_(0, idx, self.counts)
                self.counts.copy_(moved)
            self.top.copy_(peak)
        self.counts += torch.histc(x.abs(), len(self.counts), 0, float(self.top))

    def percentile(self, q):
        cdf = self.counts.cumsum(0)
        cdf /= cdf[-1].clone()
        bin_ = int((cdf >= q).nonzero()[0])
        return self.top * (bin_ + 1) / len(self.counts)


class LSQ(nn.Module):
    def __init__(self, bits, signed=True):
        super().__init__()
        self.lo = -(2 ** (bits - 1)) if signed else 0
        self.hi = 2 ** (bits - 1) - 1 if signed else 2 ** bits - 1
        self.step = nn.Parameter(torch.tensor(1.0))
        self.hist = Histogram()
        self.calibrating = False

    @torch.no_grad()
    def finish(self, q=0.99):
        self.step.copy_(self.hist.percentile(q) / self.hi)
        self.step.clamp_(min=1e-4)
        self.calibrating = False

    def forward(self, x):
        if self.calibrating:
            self.hist.collect(x)
            return x
        s = GradScale.apply(self.step, (x.numel() * self.hi) ** -0.5)
        q = x / s
        q = RoundPass.apply(q.clamp(self.lo, self.hi))
        return q * s


class QuantConv(nn.Conv2d):
    def __init__(self, *a, bits=4, **kw):
        super().__init__(*a, **kw)
        self.qa, self.qw = LSQ(bits, signed=False), LSQ(bits)

    def forward(self, x):
        return self._conv_forward(self.qa(x), self.qw(self.weight), self.bias)


def calibrate(model, batches):
    qs = [m for m in model.modules() if isinstance(m, LSQ)]
    for q in qs:
        q.calibrating = True
    with torch.no_grad():
        for x in batches:
            model(x)
    for q in qs:
        q.finish()


# --- driver ---
torch.manual_seed(53)
net = nn.Sequential(QuantConv(1, 4, 3), nn.ReLU(inplace=True), QuantConv(4, 4, 3), nn.ReLU(inplace=True), nn.Flatten(), nn.Linear(64, 2))
calibrate(net, torch.rand(3, 4, 1, 8, 8))
opt = torch.optim.SGD(net.parameters(), lr=0.01)
for _ in range(2):
    opt.zero_grad()
    F.cross_entropy(net(torch.rand(4, 1, 8, 8)), torch.randint(0, 2, (4,))).backward()
    opt.step()
