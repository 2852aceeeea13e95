import torch
import torch.nn as nn
import torch.nn.functional as F


class PrototypeLayer(nn.Linear):
    """Linear layer without bias whose rows are kept on the unit sphere."""

    def __init__(self, dim, n_proto):
        super().__init__(dim, n_proto, bias=False)

    @torch.no_grad()
    def normalize_(self):
        self.weight.div_(self.weight.norm(dim=1, keepdim=True))  # BUG
        return self

    def forward(self, z):
        return F.linear(z, self.weight)


class MultiPrototypes(nn.ModuleList):
    def __init__(self, dim, counts):
        super().__init__([PrototypeLayer(dim, k) for k in counts])

    def forward(self, z):
        for p in self:
            p.normalize_()
        return [p(z) for p in self]


def build_prototypes(dim, n):
    if isinstance(n, int):
        n = [n]
    return MultiPrototypes(dim, n)
