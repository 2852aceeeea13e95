import torch
import torch.nn as nn
import torch.nn.functional as F

from .builder import QUANTIZERS


class BaseQuantizer(nn.Module):
    """distances -> assign -> lookup, then whatever bookkeeping a subclass wants."""

    def __init__(self, codes, dim):
        super().__init__()
        self.n_codes, self.dim = codes, dim

    def distances(self, z):
        e = self.embedding
        return z.pow(2).sum(1, keepdim=True) - 2 * z @ e.t() + e.pow(2).sum(1)

    def update(self, z, idx):
        pass

    def forward(self, z):
        dist = self.distances(z)
        idx = dist.argmin(1)
        zq = F.embedding(idx, self.embedding)
        if self.training:
            self.update(z.detach(), idx)
        st = z + (zq - z).detach()
        return dict(z=z, zq=zq.detach(), st=st, idx=idx, dist=dist)


@QUANTIZERS.register
class GradQuantizer(BaseQuantizer):
    def __init__(self, codes, dim):
        super().__init__(codes, dim)
        self.embedding = nn.Parameter(torch.randn(codes, dim) * 0.3)


@QUANTIZERS.register
class EMAQuantizer(BaseQuantizer):
    def __init__(self, codes, dim, decay=0.99, eps=1e-5):
        super().__init__(codes, dim)
        self.decay, self.eps = decay, eps
        self.register_buffer("embedding", torch.randn(codes, dim) * 0.3)
        self.register_buffer("counts", torch.ones(codes))
        self.register_buffer("sums", self.embedding.clone())

    @torch.no_grad()
    def update(self, z, idx):
        onehot = F.one_hot(idx, self.n_codes).type_as(z)
        self.counts.mul_(self.decay).add_(onehot.sum(0), alpha=1 - self.decay)
        self.sums.mul_(self.decay).add_(onehot.t() @ z, alpha=1 - self.decay)
        n = self.counts.sum()
        smoothed = (self.counts + self.eps) / (n + self.n_codes * self.eps) * n
        self.embedding.copy_(self.sums / smoothed.unsqueeze(1))  # BUG
