import torch
import torch.nn as nn
import torch.nn.functional as F


class VectorQuantizerEMA(nn.Module):
    def __init__(self, num_codes, dim, beta=0.25, decay=0.95, eps=1e-5):
        super().__init__()
        self.beta, self.decay, self.eps = beta, decay, eps
        embed = torch.randn(num_codes, dim)
        self.register_buffer("embed", embed)
        self.register_buffer("cluster_size", torch.ones(num_codes))
        self.register_buffer("embed_avg", embed.clone())

    @torch.no_grad()
    def _assign(self, flat):
        dist = flat.pow(2).sum(1, keepdim=True)
        dist = dist - 2 * flat @ self.embed.t()
        dist += self.embed.pow(2).sum(1)
        return dist.argmin(1)

    @torch.no_grad()
    def _ema(self, flat, idx):
        onehot = torch.zeros(flat.size(0), self.embed.size(0))
        onehot.scatter_(1, idx[:, None], 1.0)
        self.cluster_size.mul_(self.decay).add_(onehot.sum(0), alpha=1 - self.decay)
        self.embed_avg.mul_(self.decay).addmm_(onehot.t(), flat, alpha=1 - self.decay)
        n = self.cluster_size.sum()
        size = (self.cluster_size + self.eps) / (n + self.embed.size(0) * self.eps) * n
        self.embed.copy_(self.embed_avg / size.unsqueeze(1))

    def forward(self, z):
        flat = z.reshape(-1, z.size(-1))
        idx = self._assign(flat)
        quant = F.embedding(idx, self.embed).view_as(z)
        if self.training:
            self._ema(flat, idx)
        commit = F.mse_loss(z, quant).mul_(self.beta)
        quant = z + (quant - z).detach()
        return quant, commit, idx
