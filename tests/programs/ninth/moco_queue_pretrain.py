import copy
from types import SimpleNamespace

import torch
import torch.nn as nn
import torch.nn.functional as F


def make_encoder(in_dim, out_dim):
    return nn.Sequential(nn.Flatten(), nn.Linear(in_dim, 32), nn.ReLU(inplace=True), nn.Linear(32, out_dim))


class NegativeQueue(nn.Module):
    def __init__(self, dim, size):
        super().__init__()
        self.size = size
        self.register_buffer("feats", F.normalize(torch.randn(dim, size), dim=0))
        self.register_buffer("ptr", torch.zeros(1, dtype=torch.long))

    @torch.no_grad()
    def push(self, keys):
        n = keys.size(0)
        start = int(self.ptr)
        assert self.size % n == 0
        self.feats[:, start:start + n] = keys.t()  # BUG
        self.ptr[0] = (start + n) % self.size


class MoCo(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.cfg = cfg
        self.encoder_q = make_encoder(cfg.in_dim, cfg.dim)
        self.encoder_k = copy.deepcopy(self.encoder_q)
        for p in self.encoder_k.parameters():
            p.requires_grad_(False)
        self.queue = NegativeQueue(cfg.dim, cfg.queue)

    @torch.no_grad()
    def _momentum_update(self):
        for pq, pk in zip(self.encoder_q.parameters(), self.encoder_k.parameters()):
            pk.mul_(self.cfg.m).add_(pq, alpha=1 - self.cfg.m)

    @torch.no_grad()
    def _keys(self, im_k):
        self._momentum_update()
        perm = torch.randperm(im_k.size(0))
        inv = torch.argsort(perm)
        return F.normalize(self.encoder_k(im_k[perm]), dim=1)[inv]

    def forward(self, im_q, im_k):
        q = F.normalize(self.encoder_q(im_q), dim=1)
        k = self._keys(im_k)
        pos = torch.einsum("nc,nc->n", q, k).unsqueeze(-1)
        neg = torch.einsum("nc,ck->nk", q, self.queue.feats)
        logits = torch.cat([pos, neg], dim=1) / self.cfg.tau
        labels = torch.zeros(logits.size(0), dtype=torch.long)
        self.queue.push(k)
        return logits, labels


def two_views(x, gen):
    noise = torch.randn(x.shape, generator=gen) * 0.1
    return x + noise, x.flip(-1)


def pretrain(model, loader, lr):
    gen = torch.Generator().manual_seed(0)
    opt = torch.optim.SGD(model.encoder_q.parameters(), lr=lr, momentum=0.9, weight_decay=1e-4)
    for x in loader:
        logits, labels = model(*two_views(x, gen))
        loss = F.cross_entropy(logits, labels)
        opt.zero_grad(set_to_none=True)
        loss.backward()
        opt.step()
        yield loss.item()


# --- driver ---
torch.manual_seed(6)
cfg = SimpleNamespace(in_dim=3 * 4 * 4, dim=8, queue=16, m=0.99, tau=0.2)
moco = MoCo(cfg)
print(list(pretrain(moco, [torch.randn(4, 3, 4, 4) for _ in range(2)], 0.03)))
