import torch
import torch.nn.functional as F
from torch import nn


class MemoryBank(nn.Module):
    def __init__(self, n, d, m=0.5):
        super().__init__()
        self.m = m
        self.register_buffer("bank", F.normalize(torch.randn(n, d), dim=1))

    def logits(self, z):
        return z @ self.bank.clone().detach().t()

    @torch.no_grad()
    def update(self, z, idx):
        new = self.bank[idx]
        new.mul_(self.m).add_(z.detach(), alpha=1 - self.m)
        self.bank.index_copy_(0, idx, F.normalize(new, dim=1))
