import torch


class TwoCrops:
    def __init__(self, std=0.1):
        self.std = std

    def __call__(self, x):
        return [self._one(x), self._one(x)]

    def _one(self, x):
        x = x.clone()
        x += self.std * torch.randn_like(x)
        x[torch.rand_like(x) < 0.1] = 0
        return x
