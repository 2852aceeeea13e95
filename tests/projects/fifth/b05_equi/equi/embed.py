from torch import nn
import torch

from .radial import BesselBasis, PolyCutoff, soft_one_hot
from .sh import spherical_harmonics


class EdgeEmbedding(nn.Module):
    """Edge attributes from positions.

    ``forward(pos, edge_index)`` gives ``(sh, radial)``. Differentiable w.r.t. ``pos``, so that forces can
    be had as the negative gradient of the energy.

    basis: "bessel" or "gaussian"
    """

    def __init__(self, lmax=2, r_max=3.0, num_basis=6, basis="bessel"):
        super().__init__()
        self.ls = list(range(lmax + 1))
        self.r_max, self.num = r_max, num_basis
        self.basis = BesselBasis(r_max, num_basis) if basis == "bessel" else None
        self.cutoff = PolyCutoff(r_max)

    def forward(self, pos, edge_index):
        src, dst = edge_index
        edge_vec = pos.index_select(0, dst) - pos.index_select(0, src)
        r = edge_vec.detach().norm(dim=-1)
        sh = spherical_harmonics(self.ls, edge_vec, normalize=True)
        if self.basis is not None:
            rad = self.basis(r)
        else:
            rad = soft_one_hot(r, 0.0, self.r_max, self.num)
        return sh, rad * self.cutoff(r)[:, None]


class Scatter(nn.Module):
    def forward(self, x, index, n):
        return x.new_zeros(n, x.size(1)).index_add_(0, index, x)


class EnergyReadout(nn.Module):
    def __init__(self, lmax=2, num_basis=6, **kwargs):
        super().__init__()
        self.embed = EdgeEmbedding(lmax, num_basis=num_basis, **kwargs)
        self.mix = nn.Linear(num_basis, (lmax + 1) ** 2)
        self.scatter = Scatter()

    def forward(self, pos, edge_index):
        sh, rad = self.embed(pos, edge_index)
        node = self.scatter(sh * self.mix(rad), edge_index[1], pos.size(0))
        return node.pow(2).sum()
