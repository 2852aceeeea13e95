"""Momentum contrast with a small conv encoder."""
import copy
import torch
import torch.nn as nn
import torch.nn.functional as F


def encoder(dim):
    return nn.Sequential(
        nn.Conv2d(3, 8, 3, 2, 1), nn.BatchNorm2d(8), nn.ReLU(inplace=True),
        nn.Conv2d(8, 16, 3, 2, 1), nn.BatchNorm2d(16), nn.ReLU(inplace=True),
        nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(16, dim))


class MoCo(nn.Module):
    def __init__(self, dim=8, K=16, m=0.99, T=0.2):
        super().__init__()
        self.K, self.m, self.T = K, m, T
        self.encoder_q = encoder(dim)
        self.encoder_k = copy.deepcopy(self.encoder_q)
        for p in self.encoder_k.parameters():
            p.requires_grad = False
        self.register_buffer('queue', F.normalize(torch.randn(dim, K), dim=0))
        self.register_buffer('queue_ptr', torch.zeros(1, dtype=torch.long))

    @torch.no_grad()
    def _momentum_update(self):
        for q, k in zip(self.encoder_q.parameters(), self.encoder_k.parameters()):
            k.mul_(self.m).add_(q, alpha=1 - self.m)

    @torch.no_grad()
    def _dequeue_and_enqueue(self, keys):
        n = keys.shape[0]
        ptr = int(self.queue_ptr)
        assert self.K % n == 0
        self.queue[:, ptr:ptr + n] = keys.T  # BUG
        self.queue_ptr[0] = (ptr + n) % self.K

    def forward(self, im_q, im_k):
        q = F.normalize(self.encoder_q(im_q), dim=1)
        with torch.no_grad():
            self._momentum_update()
            k = F.normalize(self.encoder_k(im_k), dim=1)
        l_pos = torch.einsum('nc,nc->n', [q, k]).unsqueeze(-1)
        l_neg = q @ self.queue
        logits = torch.cat([l_pos, l_neg], dim=1)
        logits /= self.T
        labels = torch.zeros(logits.shape[0], dtype=torch.long)
        self._dequeue_and_enqueue(k)
        return logits, labels


def augment(x):
    x = x.clone()
    flip = torch.rand(x.size(0)) < 0.5
    x[flip] = x[flip].flip(-1)
    x.add_(torch.randn_like(x), alpha=0.1)
    return x


def adjust_lr(opt, step, total, base):
    for g in opt.param_groups:
        g['lr'] = base * (1 - step / total)


def train(model, images, steps=1, lr=0.03):
    opt = torch.optim.SGD(model.encoder_q.parameters(), lr=lr, momentum=0.9, weight_decay=1e-4)
    for s in range(steps):
        adjust_lr(opt, s, steps, lr)
        out, target = model(augment(images), augment(images))
        loss = F.cross_entropy(out, target)
        opt.zero_grad()
        loss.backward()
        opt.step()


# --- driver ---
torch.manual_seed(0)
train(MoCo(), torch.randn(4, 3, 8, 8))
