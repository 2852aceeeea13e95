import torch
import torch.nn as nn
import torch.nn.functional as F


class WeightNormed(nn.Module):
    """base class, subclasses call self.normed()"""

    def __init__(self, shape, eps=1e-6):
        super().__init__()
        self.eps = eps
        self.v = nn.Parameter(0.1 * torch.randn(*shape))
        self.g = nn.Parameter(torch.ones(shape[0]))
        self.b = nn.Parameter(torch.zeros(shape[0]))

    def _shape(self):
        return (-1,) + (1,) * (self.v.dim() - 1)

    def normed(self):
        n = self.v.flatten(1).norm(dim=1)
        n.clamp_(min=self.eps)  # BUG
        return self.v / n.view(self._shape()) * self.g.view(self._shape())


class WNConv1d(WeightNormed):
    def __init__(self, cin, cout, k, dilation=1):
        super().__init__((cout, cin, k))
        self.pad = (k - 1) * dilation
        self.dilation = dilation

    def forward(self, x):
        return F.conv1d(F.pad(x, (self.pad, 0)), self.normed(), self.b, dilation=self.dilation)


class WNLinear(WeightNormed):
    def __init__(self, din, dout):
        super().__init__((dout, din))

    def forward(self, x):
        return F.linear(x, self.normed(), self.b)
