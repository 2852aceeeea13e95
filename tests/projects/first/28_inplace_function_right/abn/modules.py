import torch
import torch.nn as nn

from .functions import GradReverse, InPlaceLeaky, Sign


class InPlaceABN(nn.Module):
    def __init__(self, ch, slope=0.01, momentum=0.1):
        super().__init__()
        self.slope, self.momentum = slope, momentum
        self.weight = nn.Parameter(torch.ones(ch))
        self.bias = nn.Parameter(torch.zeros(ch))
        self.register_buffer("running_mean", torch.zeros(ch))
        self.register_buffer("running_var", torch.ones(ch))

    def forward(self, x):
        if self.training:
            mean, var = x.mean((0, 2, 3)), x.var((0, 2, 3), unbiased=False)
            with torch.no_grad():
                self.running_mean.mul_(1 - self.momentum).add_(self.momentum * mean)
                self.running_var.mul_(1 - self.momentum).add_(self.momentum * var)
        else:
            mean, var = self.running_mean, self.running_var
        v = lambda t: t.view(1, -1, 1, 1)
        y = (x - v(mean)) * v((var + 1e-5).rsqrt())
        y = y * v(self.weight) + v(self.bias)
        return InPlaceLeaky.apply(y, self.slope)


class STEBinarize(nn.Module):
    def forward(self, x):
        return Sign.apply(x)


class DomainHead(nn.Module):
    def __init__(self, d, lam=0.5):
        super().__init__()
        self.fc, self.lam = nn.Linear(d, 2), lam

    def forward(self, f):
        return self.fc(GradReverse.apply(f, self.lam))
