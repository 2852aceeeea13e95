import torch


class Scaler:
    def __init__(self, init=2.0 ** 8, growth=2.0, backoff=0.5, interval=2):
        self._scale = torch.full((1,), init)
        self.growth, self.backoff, self.interval, self.good = growth, backoff, interval, 0

    def scale(self, loss):
        return loss * self._scale

    @torch.no_grad()
    def unscale_(self, params):
        inv = self._scale.reciprocal()
        self.found_inf = False
        for p in params:
            if p.grad is not None:
                p.grad.mul_(inv)
                self.found_inf |= not torch.isfinite(p.grad).all()

    def update(self):
        if self.found_inf:
            self._scale.mul_(self.backoff)
            self.good = 0
        else:
            self.good += 1
            if self.good % self.interval == 0:
                self._scale.mul_(self.growth)
