import torch
import torch.nn as nn


class Kernel(nn.Module):
    """Covariances; the inducing-point matrix is kept so the loss terms can share it."""

    def __init__(self):
        super().__init__()
        self._kzz = None

    def cov(self, a, b):
        raise NotImplementedError

    def inducing_cov(self, z, jitter=1e-3):
        if self._kzz is None:
            k = self.cov(z, z)
            k.diagonal().add_(jitter)
            self._kzz = k
        return self._kzz

    def reset(self):
        self._kzz = None

    def train(self, mode=True):
        self.reset()
        return super().train(mode)


class RBF(Kernel):
    def __init__(self):
        super().__init__()
        self.log_ls = nn.Parameter(torch.zeros(()))
        self.log_var = nn.Parameter(torch.zeros(()))

    def cov(self, a, b):
        d2 = (a.unsqueeze(1) - b.unsqueeze(0)).pow(2).sum(-1)
        return self.log_var.exp() * torch.exp(-0.5 * d2 / self.log_ls.exp().pow(2))


class Linear(Kernel):
    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.tensor(0.3))

    def cov(self, a, b):
        return self.scale ** 2 * (a @ b.t())


class Sum(Kernel):
    def __init__(self, parts):
        super().__init__()
        self.parts = nn.ModuleList(parts)

    def cov(self, a, b):
        total = self.parts[0].cov(a, b)
        for p in self.parts[1:]:
            total = total + p.cov(a, b)
        return total


def build_kernel(expr):
    table = {"rbf": RBF, "linear": Linear}
    parts = [table[t]() for t in expr.split("+")]
    return parts[0] if len(parts) == 1 else Sum(parts)
