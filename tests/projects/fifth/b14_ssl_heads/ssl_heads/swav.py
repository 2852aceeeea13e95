import torch
import torch.nn as nn
import torch.nn.functional as F

from .prototypes import build_prototypes
from .sinkhorn import distributed_sinkhorn


class SwAVHead(nn.Module):
    """Projection + prototypes + swapped prediction loss.

    forward(crops): list of (B, in_dim) features, the first ``n_global`` are global crops.
    """

    def __init__(self, in_dim, dim=8, n_proto=(6, 5), hidden=16, n_global=2, temp=0.1):
        super().__init__()
        self.proj = nn.Sequential(
            nn.Linear(in_dim, hidden), nn.BatchNorm1d(hidden), nn.ReLU(inplace=True), nn.Linear(hidden, dim)
        )
        self.prototypes = build_prototypes(dim, n_proto)
        self.n_global, self.temp = n_global, temp

    def scores(self, x):
        z = F.normalize(self.proj(x), dim=1)
        return self.prototypes(z)

    def swapped(self, outs):
        loss = outs[0].new_zeros(())
        for i in range(self.n_global):
            q = distributed_sinkhorn(outs[i].detach())
            sub = outs[0].new_zeros(())
            for j in range(len(outs)):
                if j != i:
                    sub -= (q * F.log_softmax(outs[j] / self.temp, dim=1)).sum(1).mean()
            loss += sub / (len(outs) - 1)
        return loss / self.n_global

    def forward(self, crops):
        per_crop = [self.scores(c) for c in crops]
        total = 0.0
        for head in zip(*per_crop):
            total = total + self.swapped(list(head))
        return total / len(self.prototypes)
