import torch
import torch.nn.functional as F
from torch import nn


class Codebook(nn.Module):
    def __init__(self, k, d, decay=0.9):
        super().__init__()
        self.decay = decay
        self.register_buffer("embed", torch.randn(k, d))
        self.register_buffer("count", torch.ones(k))
        self.register_buffer("total", self.embed.clone())

    @torch.no_grad()
    def ema_update(self, z, idx):
        hot = F.one_hot(idx, len(self.embed)).type_as(z)
        self.count.mul_(self.decay).add_(hot.sum(0), alpha=1 - self.decay)
        self.total.mul_(self.decay).add_(hot.t() @ z, alpha=1 - self.decay)
        self.embed.copy_(self.total / self.count.clamp(min=1e-5).unsqueeze(1))

    def forward(self, z):
        with torch.no_grad():
            idx = torch.cdist(z, self.embed).argmin(1)
        q = self.embed[idx]
        if self.training:
            self.ema_update(z.detach(), idx)
        commit = F.mse_loss(z, q)
        return z + (q - z).detach(), commit, idx
