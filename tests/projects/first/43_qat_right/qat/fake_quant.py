import torch
import torch.nn as nn

from .observers import OBSERVERS


class _FQ(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, scale, zero, qmax):
        q = torch.round(x / scale).add_(zero)
        ctx.save_for_backward((q >= 0) & (q <= qmax))
        q.clamp_(0, qmax).sub_(zero).mul_(scale)
        return q

    @staticmethod
    def backward(ctx, g):
        (m,) = ctx.saved_tensors
        return g * m, None, None, None


class FakeQuant(nn.Module):
    def __init__(self, observer="MovingAverage", bits=8):
        super().__init__()
        self.obs, self.enabled = OBSERVERS[observer](bits), True

    def forward(self, x):
        if self.training:
            self.obs.observe(x)
        if not self.enabled:
            return x
        scale, zero = self.obs.qparams()
        return _FQ.apply(x, scale, zero, self.obs.levels)


class LSQ(nn.Module):
    """Learned step size."""

    def __init__(self, bits=4):
        super().__init__()
        self.step, self.q = nn.Parameter(torch.ones(())), 2 ** (bits - 1) - 1
        self.register_buffer("ready", torch.zeros((), dtype=torch.bool))

    def forward(self, w):
        if not self.ready:
            self.step.data.copy_(2 * w.detach().abs().mean() / self.q ** 0.5)
            self.ready.fill_(True)
        z = (w / self.step).clamp(-self.q, self.q)
        r = (z.round() - z).detach() + z
        return r * self.step
