import torch
from torch import nn

from .cell import ChildSumCell, LevelAttention


class TreeLSTM(nn.Module):
    """Child-sum Tree-LSTM over a level-ordered batch (see ``batch_levels``).

    readout: "root" (states of the last level) or "levels" (attention pooled, one row for each level).
    """

    def __init__(self, in_dim, dim, readout="root"):
        super().__init__()
        self.cell = ChildSumCell(in_dim, dim)
        self.pool = LevelAttention(dim) if readout == "levels" else None
        self.dim = dim

    def forward(self, batch):
        n = batch.feats.size(0)
        h = batch.feats.new_zeros(n, self.dim)
        c = batch.feats.new_zeros(n, self.dim)
        pooled = []
        for lo, hi in zip(batch.level_ptr[:-1], batch.level_ptr[1:]):
            idx = batch.children[lo:hi]
            nh, nc = self.cell(batch.feats[lo:hi], h[idx], c[idx], batch.child_mask[lo:hi])
            h[lo:hi] = nh  # BUG
            c[lo:hi] = nc
            if self.pool is not None:
                pooled.append(self.pool(h[lo:hi]))
        if self.pool is not None:
            return torch.cat(pooled, 0)
        return h[lo:hi]
