import torch


class RunningMeanStd:
    def __init__(self, shape, eps=1e-4):
        self.mean = torch.zeros(shape)
        self.var = torch.ones(shape)
        self.count = eps

    def update(self, x):
        bm, bv, n = x.mean(0), x.var(0, unbiased=False), x.size(0)
        delta = bm - self.mean
        tot = self.count + n
        self.mean.add_(delta * n / tot)
        m2 = self.var * self.count + bv * n + delta.pow(2) * self.count * n / tot
        self.var.copy_(m2 / tot)
        self.count = tot

    def normalize(self, x):
        return (x - self.mean) / (self.var.sqrt() + 1e-8)
