"""Invertible layers. Each returns (y, logabsdet)."""
import torch
from torch import nn


def sum_last(x):
    return x.reshape(x.size(0), -1).sum(-1)


class Transform(nn.Module):
    def forward(self, x, context=None):
        raise NotImplementedError

    def inverse(self, y, context=None):
        raise NotImplementedError


class Permute(Transform):
    def __init__(self, dim):
        super().__init__()
        self.register_buffer("perm", torch.randperm(dim))
        self.register_buffer("inv", torch.argsort(self.perm))

    def forward(self, x, context=None):
        return x[:, self.perm], x.new_zeros(x.size(0))

    def inverse(self, y, context=None):
        return y[:, self.inv], y.new_zeros(y.size(0))


class ActNorm(Transform):
    def __init__(self, dim):
        super().__init__()
        self.log_scale = nn.Parameter(torch.zeros(dim))
        self.shift = nn.Parameter(torch.zeros(dim))
        self.register_buffer("ready", torch.tensor(False))

    @torch.no_grad()
    def _init(self, x):
        self.log_scale.copy_(-(x.std(0) + 1e-6).log_())
        self.shift.copy_(-(x.mean(0) * self.log_scale.exp()))
        self.ready.fill_(True)

    def forward(self, x, context=None):
        if self.training and not bool(self.ready):
            self._init(x)
        y = x * self.log_scale.exp() + self.shift
        return y, self.log_scale.sum().expand(x.size(0))

    def inverse(self, y, context=None):
        return (y - self.shift) * torch.exp(-self.log_scale), -self.log_scale.sum().expand(y.size(0))


class AffineCoupling(Transform):
    """Coupling with scale activation ``scale_fn``: "exp" or "softexp".

    "softexp" bounds the scale from below by ``floor``.
    """

    def __init__(self, dim, hidden=16, scale_fn="exp", floor=1e-2):
        super().__init__()
        self.d = dim // 2
        self.scale_fn, self.floor = scale_fn, floor
        self.net = nn.Sequential(
            nn.Linear(self.d, hidden), nn.ReLU(inplace=True),
            nn.Linear(hidden, hidden), nn.ReLU(inplace=True),
            nn.Linear(hidden, 2 * (dim - self.d)),
        )
        nn.init.normal_(self.net[-1].weight, std=1e-2)

    def _params(self, x1):
        raw, shift = self.net(x1).chunk(2, dim=-1)
        scale = torch.clamp(raw, -3.0, 3.0).exp_()
        if self.scale_fn == "softexp":
            scale.add_(self.floor)  # BUG
        return scale, shift

    def forward(self, x, context=None):
        x1, x2 = x[:, :self.d], x[:, self.d:]
        s, t = self._params(x1)
        return torch.cat([x1, x2 * s + t], -1), sum_last(s.log())

    def inverse(self, y, context=None):
        y1, y2 = y[:, :self.d], y[:, self.d:]
        s, t = self._params(y1)
        return torch.cat([y1, (y2 - t) / s], -1), -sum_last(s.log())
