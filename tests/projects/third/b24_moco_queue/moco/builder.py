import torch
import torch.nn as nn

from .queue import FeatureQueue


class MoCo(nn.Module):
    def __init__(self, base_encoder, dim=16, K=64, m=0.99, T=0.07, mlp=False):
        super().__init__()
        self.m, self.T = m, T
        self.encoder_q = base_encoder(num_classes=dim)
        self.encoder_k = base_encoder(num_classes=dim)
        for q, k in zip(self.encoder_q.parameters(), self.encoder_k.parameters()):
            k.data.copy_(q.data)
            k.requires_grad = False
        self.queue = FeatureQueue(dim, K)

    @torch.no_grad()
    def _momentum_update_key_encoder(self):
        for q, k in zip(self.encoder_q.parameters(), self.encoder_k.parameters()):
            k.mul_(self.m).add_(q, alpha=1.0 - self.m)

    def forward(self, im_q, im_k):
        q = nn.functional.normalize(self.encoder_q(im_q), dim=1)
        with torch.no_grad():
            self._momentum_update_key_encoder()
            shuffle = torch.randperm(im_k.size(0))
            k = nn.functional.normalize(self.encoder_k(im_k[shuffle]), dim=1)
            k = k[shuffle.argsort()]
        l_pos = torch.einsum("nc,nc->n", [q, k]).unsqueeze(-1)
        l_neg = torch.einsum("nc,ck->nk", [q, self.queue.keys])
        logits = torch.cat([l_pos, l_neg], dim=1)
        logits /= self.T
        labels = torch.zeros(logits.shape[0], dtype=torch.long)
        self.queue.push(k)
        return logits, labels
