import torch


class Compose:
    def __init__(self, *ts):
        self.ts = ts

    def __call__(self, x):
        for t in self.ts:
            x = t(x)
        return x


class Normalize:
    def __init__(self, mean, std):
        self.mean, self.std = mean, std

    def __call__(self, x):
        return x.clone().sub_(self.mean).div_(self.std)


class Mixup:
    def __init__(self, lam):
        self.lam = lam

    def __call__(self, x):
        return self.lam * x + (1 - self.lam) * x.flip(0)
