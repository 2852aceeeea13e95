"""Momentum contrast for short clips with a feature queue."""
import copy

import torch
import torch.nn as nn
import torch.nn.functional as F


class ClipEncoder(nn.Module):
    def __init__(self, ch=6, dim=16):
        super().__init__()
        self.conv1 = nn.Conv3d(3, ch, 3, stride=(1, 2, 2), padding=1)
        self.conv2 = nn.Conv3d(ch, ch * 2, 3, stride=2, padding=1)
        self.fc = nn.Sequential(nn.Linear(ch * 2, dim), nn.ReLU(inplace=True), nn.Linear(dim, dim))

    def forward(self, x):
        x = F.relu_(self.conv1(x))
        x = F.relu_(self.conv2(x))
        return F.normalize(self.fc(x.mean(dim=(2, 3, 4))), dim=1)


class FeatureQueue(nn.Module):
    def __init__(self, dim, size):
        super().__init__()
        self.register_buffer('feats', F.normalize(torch.randn(dim, size), dim=0))
        self.register_buffer('ptr', torch.zeros(1, dtype=torch.long))

    @property
    def size(self):
        return self.feats.size(1)

    def negatives(self):
        return self.feats.detach()

    @torch.no_grad()
    def enqueue(self, keys):
        n, p = keys.size(0), int(self.ptr)
        assert self.size % n == 0
        self.feats[:, p:p + n] = keys.t()  # BUG
        self.ptr[0] = (p + n) % self.size


class MoCo(nn.Module):
    def __init__(self, dim=16, queue=32, m=0.99, tau=0.1):
        super().__init__()
        self.encoder_q = ClipEncoder(dim=dim)
        self.encoder_k = copy.deepcopy(self.encoder_q).requires_grad_(False)
        self.queue = FeatureQueue(dim, queue)
        self.m, self.tau = m, tau

    @torch.no_grad()
    def momentum_update(self):
        for q, k in zip(self.encoder_q.parameters(), self.encoder_k.parameters()):
            k.mul_(self.m).add_(q, alpha=1 - self.m)

    def forward(self, clip_q, clip_k):
        q = self.encoder_q(clip_q)
        with torch.no_grad():
            self.momentum_update()
            k = self.encoder_k(clip_k)
        l_pos = (q * k).sum(1, keepdim=True)
        l_neg = q @ self.queue.negatives()
        logits = torch.cat([l_pos, l_neg], dim=1)
        logits /= self.tau
        labels = torch.zeros(q.size(0), dtype=torch.long)
        self.queue.enqueue(k)
        return logits, labels


def augment(clip):
    out = clip.clone()
    flip = torch.rand(clip.size(0)) < 0.5
    out[flip] = out[flip].flip(-1)
    out.mul_(torch.empty(clip.size(0), 1, 1, 1, 1).uniform_(0.8, 1.2))
    return out


def temporal_crop(video, length):
    start = torch.randint(0, video.size(2) - length + 1, ()).item()
    return video[:, :, start:start + length]


def pretrain(model, videos, length=4, lr=0.03):
    opt = torch.optim.SGD(model.encoder_q.parameters(), lr=lr, momentum=0.9, weight_decay=1e-4)
    accs = []
    for video in videos:
        q, k = (augment(temporal_crop(video, length)) for _ in range(2))
        logits, labels = model(q, k)
        loss = F.cross_entropy(logits, labels)
        opt.zero_grad()
        loss.backward()
        opt.step()
        accs.append((logits.argmax(1) == labels).float().mean().item())
    return accs


# --- driver ---
print(pretrain(MoCo(), [torch.rand(4, 3, 6, 12, 12) for _ in range(2)]))
