import torch


class SelfPaced:
    def __init__(self, n, lam=1.0, growth=1.1, rate=0.3):
        self._w = torch.ones(n)
        self.lam = lam
        self.growth = growth
        self.rate = rate

    @property
    def weights(self):
        return self._w

    def update(self, lo, hi, losses):
        """hard samples lose weight, easy samples gain"""
        factor = torch.exp(-self.rate * (losses - self.lam))
        self._w[lo:hi].mul_(factor).clamp_(0.05, 1.0)  # BUG

    def end_epoch(self):
        self.lam *= self.growth
