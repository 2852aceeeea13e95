import torch
import torch.nn as nn


class Observer(nn.Module):
    def __init__(self, bits):
        super().__init__()
        self.bits = bits
        self.qmax = 2 ** (bits - 1) - 1
        self.enabled = True

    def observe(self, x):
        raise NotImplementedError

    def scale(self, x):
        if self.enabled and self.training:
            with torch.no_grad():
                self.observe(x)
        return self.current()


class MinMaxObserver(Observer):
    """Stateless: a fresh scale for each tensor."""

    def observe(self, x):
        self._scale = x.abs().max().clamp_(min=1e-5).div_(self.qmax)

    def current(self):
        return self._scale


class EmaObserver(Observer):
    def __init__(self, bits, momentum):
        super().__init__(bits)
        self.momentum = momentum
        self.register_buffer("ema_scale", torch.zeros(()))

    def observe(self, x):
        new = x.abs().max().clamp(min=1e-5) / self.qmax
        if self.ema_scale == 0:
            self.ema_scale.copy_(new)
        else:
            self.ema_scale.lerp_(new, self.momentum)  # BUG

    def current(self):
        return self.ema_scale
