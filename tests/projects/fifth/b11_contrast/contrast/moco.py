import copy
from dataclasses import dataclass
from typing import Callable

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from .queue import FeatureQueue


@dataclass
class MoCoConfig:
    dim: int = 16
    queue_size: int = 32
    momentum: float = 0.99
    temperature: float = 0.2


class MoCo(nn.Module):
    """Momentum contrast. ``forward(im_q, im_k)`` gives a dict of losses.

    The keys are put in the queue at each training forward.
    """

    def __init__(self, encoder_fn: Callable[[int], nn.Module], cfg: MoCoConfig = MoCoConfig()):
        super().__init__()
        self.cfg = cfg
        self.encoder_q = encoder_fn(cfg.dim)
        self.encoder_k = copy.deepcopy(self.encoder_q)
        for p in self.encoder_k.parameters():
            p.requires_grad_(False)
        self.queue = FeatureQueue(cfg.dim, cfg.queue_size)

    @torch.no_grad()
    def _momentum_update(self) -> None:
        m = self.cfg.momentum
        for pq, pk in zip(self.encoder_q.parameters(), self.encoder_k.parameters()):
            pk.mul_(m).add_(pq, alpha=1 - m)

    @torch.no_grad()
    def _keys(self, im_k: Tensor) -> Tensor:
        perm = torch.randperm(im_k.shape[0])
        k = F.normalize(self.encoder_k(im_k[perm]), dim=1)
        out = torch.empty_like(k)
        out[perm] = k
        return out

    def logits(self, q: Tensor, k: Tensor) -> Tensor:
        pos = (q * k).sum(1, keepdim=True)
        neg = q @ self.queue.negatives()
        out = torch.cat([pos, neg], dim=1)
        out /= self.cfg.temperature
        return out

    def forward(self, im_q: Tensor, im_k: Tensor) -> dict:
        q = F.normalize(self.encoder_q(im_q), dim=1)
        if self.training:
            self._momentum_update()
        k = self._keys(im_k)
        logits = self.logits(q, k)
        target = torch.zeros(len(logits), dtype=torch.long)
        if self.training:
            self.queue.push(k)
        return {"loss_contrast": F.cross_entropy(logits, target)}


def mlp_encoder(dim: int) -> nn.Module:
    return nn.Sequential(nn.Flatten(), nn.Linear(12, 24), nn.BatchNorm1d(24), nn.ReLU(inplace=True), nn.Linear(24, dim))
