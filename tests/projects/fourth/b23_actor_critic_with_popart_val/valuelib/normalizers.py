import torch
import torch.nn as nn

NORMALIZERS = {}


def normalizer(name):
    def reg(cls):
        NORMALIZERS[name] = cls
        return cls
    return reg


class ValueHead(nn.Module):
    """A linear value head whose targets may be normalised."""

    def __init__(self, dim, beta):
        super().__init__()
        self.lin = nn.Linear(dim, 1)
        self.beta = beta

    def forward(self, h):
        return self.lin(h).squeeze(-1)

    def denorm(self, v):
        return v

    def targets(self, ret):
        return ret


@normalizer("none")
class RawHead(ValueHead):
    pass


@normalizer("popart")
class PopArtHead(ValueHead):
    """Preserve outputs precisely while adaptively rescaling targets."""

    def __init__(self, dim, beta):
        super().__init__(dim, beta)
        self.register_buffer("mu", torch.zeros(()))
        self.register_buffer("nu", torch.ones(()))

    @property
    def sigma(self):
        return (self.nu - self.mu ** 2).clamp(min=1e-4).sqrt()

    def denorm(self, v):
        return v * self.sigma + self.mu

    @torch.no_grad()
    def targets(self, ret):
        old_mu, old_sigma = self.mu.clone(), self.sigma
        self.mu.lerp_(ret.mean(), self.beta)
        self.nu.lerp_(ret.pow(2).mean(), self.beta)
        ratio = old_sigma / self.sigma
        self.lin.weight.mul_(ratio)  # BUG
        self.lin.bias.mul_(old_sigma).add_(old_mu - self.mu).div_(self.sigma)
        return (ret - self.mu) / self.sigma
