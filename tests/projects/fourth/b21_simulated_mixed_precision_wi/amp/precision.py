import contextlib

import torch

PRECISION = {}


def register(name):
    def deco(cls):
        PRECISION[name] = cls
        return cls
    return deco


class PrecisionPolicy:
    loss_scale = 1.0

    def __init__(self, net):
        self.net = net

    @contextlib.contextmanager
    def region(self):
        yield

    def scale(self, loss):
        return loss * self.loss_scale

    def unscale_(self, params):
        """Divides gradients by the loss scale; False if any is not finite."""
        ok = True
        for p in params:
            if p.grad is not None:
                p.grad.div_(self.loss_scale)
                ok = ok and bool(torch.isfinite(p.grad).all())
        return ok

    def update(self, ok):
        pass


@register("fp32")
class FullPrecision(PrecisionPolicy):
    pass


@register("bf16-sim")
class SimulatedHalf(PrecisionPolicy):
    """Keeps fp32 masters and rounds the live weights to bf16 within ``region``."""

    loss_scale = 128.0

    def __init__(self, net, growth=4):
        super().__init__(net)
        self.masters = {n: p.detach().clone() for n, p in net.named_parameters()}
        self.growth, self.good = growth, 0

    @torch.no_grad()
    def round_weights(self):
        for n, p in self.net.named_parameters():
            self.masters[n].copy_(p)
            p.copy_(p.bfloat16().float())

    @torch.no_grad()
    def restore(self):
        for n, p in self.net.named_parameters():
            p.copy_(self.masters[n])  # BUG

    @contextlib.contextmanager
    def region(self):
        self.round_weights()
        try:
            yield
        finally:
            self.restore()

    def update(self, ok):
        if not ok:
            self.loss_scale, self.good = self.loss_scale / 2, 0
            return
        self.good += 1
        if self.good % self.growth == 0:
            self.loss_scale *= 2
