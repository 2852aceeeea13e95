"""Momentum contrast with a FIFO dictionary of negatives."""
import copy

import torch
from torch import nn
import torch.nn.functional as F


class ConvEncoder(nn.Module):
    def __init__(self, dim=32):
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(3, 8, 3, stride=2, padding=1), nn.BatchNorm2d(8), nn.ReLU(inplace=True),
            nn.Conv2d(8, 16, 3, stride=2, padding=1), nn.BatchNorm2d(16), nn.ReLU(inplace=True),
        )
        self.proj = nn.Linear(16, dim)

    def forward(self, img):
        return F.normalize(self.proj(self.body(img).mean((2, 3))), dim=1)


class NegativeQueue(nn.Module):
    def __init__(self, dim, size):
        super().__init__()
        self.size = size
        self.register_buffer("bank", F.normalize(torch.randn(dim, size), dim=0))
        self.register_buffer("cursor", torch.zeros(1, dtype=torch.long))

    def similarities(self, query):
        return query @ self.bank

    @torch.no_grad()
    def push(self, keys):
        start = int(self.cursor)
        stop = start + keys.shape[0]
        assert self.size % keys.shape[0] == 0
        self.bank[:, start:stop] = keys.T  # BUG
        self.cursor.fill_(stop % self.size)


class MoCo(nn.Module):
    def __init__(self, make_encoder, dim=32, size=64, momentum=0.99, temperature=0.2):
        super().__init__()
        self.momentum, self.temperature = momentum, temperature
        self.query_net = make_encoder(dim)
        self.key_net = copy.deepcopy(self.query_net).requires_grad_(False)
        self.negatives = NegativeQueue(dim, size)

    @torch.no_grad()
    def _sync(self):
        for k, q in zip(self.key_net.parameters(), self.query_net.parameters()):
            k.mul_(self.momentum).add_(q, alpha=1 - self.momentum)

    @torch.no_grad()
    def _encode_keys(self, images):
        perm = torch.randperm(images.shape[0])
        inverse = torch.argsort(perm)
        return self.key_net(images[perm])[inverse]

    def forward(self, view_a, view_b):
        q = self.query_net(view_a)
        self._sync()
        k = self._encode_keys(view_b)
        positive = (q * k).sum(1, keepdim=True)
        logits = torch.cat([positive, self.negatives.similarities(q)], dim=1)
        logits.div_(self.temperature)
        self.negatives.push(k)
        return logits


def jitter(images):
    out = images + 0.05 * torch.randn_like(images)
    flip = torch.rand(images.shape[0]) < 0.5
    out[flip] = out[flip].flip(-1)
    return out


def pretrain(model, batches, lr=0.03):
    opt = torch.optim.SGD(model.query_net.parameters(), lr=lr, momentum=0.9)
    history = []
    for images in batches:
        logits = model(jitter(images), jitter(images))
        loss = F.cross_entropy(logits, torch.zeros(len(images), dtype=torch.long))
        opt.zero_grad()
        loss.backward()
        opt.step()
        history.append(loss.item())
    return history


# --- driver ---
torch.manual_seed(1)
model = MoCo(ConvEncoder)
pretrain(model, (torch.rand(16, 3, 16, 16) for _ in range(3)))
