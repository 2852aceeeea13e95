import torch
import torch.nn.functional as F
from torch import nn


class MaskedLinear(nn.Linear):
    def __init__(self, a, b):
        super().__init__(a, b)
        self.register_buffer("mask", torch.ones_like(self.weight))

    def forward(self, x):
        return F.linear(x, self.weight * self.mask, self.bias)


@torch.no_grad()
def global_prune_(model, amount):
    mods = [m for m in model.modules() if isinstance(m, MaskedLinear)]
    score = torch.cat([(m.weight * m.mask).abs().flatten() for m in mods])
    k = int(amount * score.numel())
    thr = score.kthvalue(max(k, 1)).values
    for m in mods:
        m.mask.mul_(m.weight.abs() > thr)
        m.weight.mul_(m.mask)
