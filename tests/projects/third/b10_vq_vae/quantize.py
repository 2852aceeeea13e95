import torch
from torch import nn
import torch.nn.functional as F


class VectorQuantizerEMA(nn.Module):
    def __init__(self, n_codes, dim, decay=0.95, eps=1e-5, commitment=0.25, entropy_weight=0.1):
        super().__init__()
        self.n_codes, self.dim = n_codes, dim
        self.decay, self.eps = decay, eps
        self.commitment = commitment
        self.entropy_weight = entropy_weight
        embed = torch.randn(dim, n_codes)
        self.register_buffer('embed', embed)
        self.register_buffer('cluster_size', torch.zeros(n_codes))
        self.register_buffer('embed_avg', embed.clone())

    @torch.no_grad()
    def _ema_update(self, flat, onehot):
        self.cluster_size.mul_(self.decay).add_(onehot.sum(0), alpha=1 - self.decay)
        self.embed_avg.mul_(self.decay).add_(flat.t() @ onehot, alpha=1 - self.decay)
        n = self.cluster_size.sum()
        size = (self.cluster_size + self.eps) / (n + self.n_codes * self.eps) * n
        self.embed.copy_(self.embed_avg / size.unsqueeze(0))  # BUG

    def _distances(self, flat):
        return (flat.pow(2).sum(1, keepdim=True)
                - 2 * flat @ self.embed
                + self.embed.pow(2).sum(0, keepdim=True))

    def forward(self, z):
        flat = z.reshape(-1, self.dim)
        dist = self._distances(flat)
        idx = dist.argmin(1)
        onehot = F.one_hot(idx, self.n_codes).type(flat.dtype)
        quant = F.embedding(idx, self.embed.t().clone()).view_as(z)

        # encourage confident assignments, uniform usage
        probs = (-dist).softmax(-1)
        avg = probs.mean(0)
        sample_ent = -(probs * (probs + self.eps).log()).sum(-1).mean()
        batch_ent = -(avg * (avg + self.eps).log()).sum()
        if self.training:
            self._ema_update(flat.detach(), onehot)
        loss = self.commitment * (quant.detach() - z).pow(2).mean()
        loss = loss + self.entropy_weight * (sample_ent - batch_ent)
        quant = z + (quant - z).detach()
        return quant, loss, idx
