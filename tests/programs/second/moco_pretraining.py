"""Momentum contrast pre-training on small images (single process version)."""
import copy
from dataclasses import dataclass

import torch
import torch.nn as nn
import torch.nn.functional as F


@dataclass
class MoCoConfig:
    dim: int = 16
    queue_size: int = 32
    momentum: float = 0.99
    temperature: float = 0.2
    lr: float = 0.03


class Encoder(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(3, 8, 3, stride=2, padding=1),
            nn.BatchNorm2d(8),
            nn.ReLU(inplace=True),
            nn.Conv2d(8, 16, 3, stride=2, padding=1),
            nn.BatchNorm2d(16),
            nn.ReLU(inplace=True),
        )
        self.proj = nn.Linear(16, dim)

    def forward(self, x):
        feat = self.body(x).mean(dim=(2, 3))
        return F.normalize(self.proj(feat), dim=1)


class MoCo(nn.Module):
    def __init__(self, cfg: MoCoConfig):
        super().__init__()
        self.cfg = cfg
        self.encoder_q = Encoder(cfg.dim)
        self.encoder_k = copy.deepcopy(self.encoder_q)
        for p in self.encoder_k.parameters():
            p.requires_grad_(False)
        self.register_buffer("queue", F.normalize(torch.randn(cfg.dim, cfg.queue_size), dim=0))
        self.register_buffer("queue_ptr", torch.zeros(1, dtype=torch.long))

    @torch.no_grad()
    def _momentum_update(self):
        m = self.cfg.momentum
        for pq, pk in zip(self.encoder_q.parameters(), self.encoder_k.parameters()):
            pk.mul_(m).add_(pq, alpha=1 - m)

    @torch.no_grad()
    def _dequeue_and_enqueue(self, keys):
        n = keys.shape[0]
        ptr = int(self.queue_ptr)
        assert self.cfg.queue_size % n == 0
        self.queue[:, ptr:ptr + n] = keys.t()  # BUG
        self.queue_ptr[0] = (ptr + n) % self.cfg.queue_size

    def forward(self, im_q, im_k):
        q = self.encoder_q(im_q)
        with torch.no_grad():
            self._momentum_update()
            k = self.encoder_k(im_k)
        l_pos = torch.einsum("nc,nc->n", q, k).unsqueeze(-1)
        l_neg = q @ self.queue
        logits = torch.cat([l_pos, l_neg], dim=1) / self.cfg.temperature
        labels = torch.zeros(logits.shape[0], dtype=torch.long)
        self._dequeue_and_enqueue(k)
        return logits, labels


def augment(x):
    noise = 0.1 * torch.randn_like(x)
    return torch.flip(x, dims=[-1]) + noise


def train(model, batches, cfg):
    opt = torch.optim.SGD(model.encoder_q.parameters(), lr=cfg.lr, momentum=0.9)
    history = []
    for images in batches:
        logits, labels = model(augment(images), augment(images))
        loss = F.cross_entropy(logits, labels)
        opt.zero_grad()
        loss.backward()
        opt.step()
        history.append(loss.item())
    return history


# --- driver ---
torch.manual_seed(0)
cfg = MoCoConfig()
train(MoCo(cfg), [torch.randn(8, 3, 16, 16) for _ in range(2)], cfg)
