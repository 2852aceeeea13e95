import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.checkpoint import checkpoint


def shifted_softplus(x):
    return F.softplus(x) - 0.6931


class GaussianRBF(nn.Module):
    def __init__(self, n, cutoff):
        super().__init__()
        self.register_buffer('mu', torch.linspace(0, cutoff, n))
        self.gamma = n / cutoff

    def forward(self, d):
        x = d[:, None] - self.mu
        return x.pow_(2).mul_(-self.gamma).exp_()


class Interaction(nn.Module):
    def __init__(self, dim, n_rbf):
        super().__init__()
        self.filter = nn.Sequential(nn.Linear(n_rbf, dim), nn.Softplus(), nn.Linear(dim, dim))
        self.lin1 = nn.Linear(dim, dim)
        self.lin2 = nn.Linear(dim, dim)

    def forward(self, x, src, dst, rbf):
        w = self.filter(rbf)
        msg = x.index_select(0, src) * w
        agg = torch.zeros_like(x).index_add_(0, dst, msg)
        return self.lin2(shifted_softplus(self.lin1(agg)))


class SchNet(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.cfg = cfg
        self.embed = nn.Embedding(cfg.n_atom_types, cfg.dim)
        self.rbf = GaussianRBF(cfg.n_rbf, cfg.cutoff)
        self.blocks = nn.ModuleList(Interaction(cfg.dim, cfg.n_rbf) for _ in range(cfg.n_interactions))
        self.readout = nn.Linear(cfg.dim, 1)

    def edges(self, pos, batch):
        d = torch.cdist(pos, pos)
        d.fill_diagonal_(float('inf'))
        d[batch[:, None] != batch[None, :]] = float('inf')
        src, dst = (d < self.cfg.cutoff).nonzero(as_tuple=True)
        return src, dst, d[src, dst]

    def _run(self, block, *args):
        if self.cfg.grad_checkpointing and self.training:
            return checkpoint(block, *args, use_reentrant=True)
        return block(*args)

    def forward(self, z, pos, batch):
        src, dst, d = self.edges(pos, batch)
        rbf = self.rbf(d)
        x = self.embed(z)
        for block in self.blocks:
            v = self._run(block, x, src, dst, rbf)
            x += v  # BUG
        e = self.readout(x).squeeze(-1)
        return torch.zeros(int(batch.max()) + 1).index_add_(0, batch, e)
