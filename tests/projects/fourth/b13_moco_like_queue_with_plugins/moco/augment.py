import torch


class TwoViews:
    def __init__(self, dim, batch, n):
        self.dim, self.batch, self.n = dim, batch, n
        self.basis = torch.randn(3, dim)

    @staticmethod
    def jitter(x):
        y = x.clone()
        y += 0.1 * torch.randn_like(y)
        y[:, torch.randint(0, y.size(1), (1,))] = 0.0
        return y

    def __iter__(self):
        for _ in range(self.n):
            x = torch.randn(self.batch, 3) @ self.basis
            yield self.jitter(x), self.jitter(x)
