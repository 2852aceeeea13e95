import copy

import torch
import torch.nn.functional as F
from torch import nn

from .queue import Queue


class MoCo(nn.Module):
    def __init__(self, encoder, dim=16, size=64, m=0.99, t=0.2):
        super().__init__()
        self.encoder_q = encoder
        self.encoder_k = copy.deepcopy(encoder)
        for p in self.encoder_k.parameters():
            p.requires_grad_(False)
        self.queue = Queue(dim, size)
        self.m, self.t = m, t

    @torch.no_grad()
    def _momentum_update(self):
        for q, k in zip(self.encoder_q.parameters(), self.encoder_k.parameters()):
            k.mul_(self.m).add_(q, alpha=1 - self.m)

    def forward(self, im_q, im_k):
        q = F.normalize(self.encoder_q(im_q), dim=1)
        with torch.no_grad():
            self._momentum_update()
            k = F.normalize(self.encoder_k(im_k), dim=1)
        l_pos = torch.einsum("nc,nc->n", q, k).unsqueeze(-1)
        l_neg = torch.einsum("nc,ck->nk", q, self.queue.keys)
        logits = torch.cat([l_pos, l_neg], dim=1) / self.t
        self.queue.push(k)
        return logits, torch.zeros(len(logits), dtype=torch.long)
