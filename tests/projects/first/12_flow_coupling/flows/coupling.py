import torch

from .base import Flow
from .nets import st_net


class AffineCoupling(Flow):
    def __init__(self, dim, swap=False):
        super().__init__()
        self.half = dim // 2
        self.swap = swap
        self.net = st_net(self.half, dim - self.half)

    def _split(self, x):
        a, b = x[:, :self.half], x[:, self.half:]
        return (b, a) if self.swap else (a, b)

    def params(self, cond):
        s, t = self.net(cond).chunk(2, dim=1)
        return torch.tanh(s), t

    def forward(self, x):
        cond, moved = self._split(x)
        s, t = self.params(cond)
        moved.mul_(s.exp()).add_(t)  # BUG
        return x, s.sum(1)

    def inverse(self, y):
        with torch.no_grad():
            y = y.clone()
            cond, moved = self._split(y)
            s, t = self.params(cond)
            moved.sub_(t).mul_((-s).exp())
            return y
