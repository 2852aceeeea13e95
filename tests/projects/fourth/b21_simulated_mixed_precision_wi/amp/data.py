import torch


class Regression:
    def __init__(self, dim, n, batch=16):
        self.w = torch.randn(dim, 1)
        self.n, self.batch = n, batch

    def __iter__(self):
        for _ in range(self.n):
            x = torch.randn(self.batch, self.w.size(0))
            y = (x @ self.w).squeeze(1)
            y.tanh_().add_(torch.randn_like(y), alpha=0.02)
            yield x, y
