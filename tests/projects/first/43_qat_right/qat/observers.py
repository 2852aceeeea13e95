import torch
import torch.nn as nn


class MinMax(nn.Module):
    def __init__(self, bits=8):
        super().__init__()
        self.levels = 2 ** bits - 1
        self.register_buffer("lo", torch.tensor(float("inf")))
        self.register_buffer("hi", torch.tensor(float("-inf")))

    def observe(self, x):
        x = x.detach()
        self.lo.copy_(torch.minimum(self.lo, x.min()))
        self.hi.copy_(torch.maximum(self.hi, x.max()))

    def qparams(self):
        scale = (self.hi - self.lo).div_(self.levels).clamp_(min=1e-8)
        zero = torch.round(-self.lo / scale)
        return scale, zero


class MovingAverage(MinMax):
    def observe(self, x):
        lo, hi = x.detach().aminmax()
        if torch.isinf(self.lo):
            self.lo.fill_(lo)
            self.hi.fill_(hi)
        else:
            self.lo.lerp_(lo, 0.1)
            self.hi.lerp_(hi, 0.1)


OBSERVERS = {c.__name__: c for c in (MinMax, MovingAverage)}
