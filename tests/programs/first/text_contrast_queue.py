"""Sentence embeddings with momentum keys and a negative queue."""
import copy

import torch
import torch.nn as nn
import torch.nn.functional as F


class BagEncoder(nn.Module):
    def __init__(self, vocab, dim, out):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim, padding_idx=0)
        self.gate = nn.Linear(dim, 1)
        self.proj = nn.Linear(dim, out)

    def forward(self, ids):
        x = self.emb(ids)
        score = self.gate(x).squeeze(-1)
        score.masked_fill_(ids.eq(0), -1e4)
        w = score.softmax(dim=1).unsqueeze(-1)
        return F.normalize(self.proj((w * x).sum(1)), dim=-1)


class RingBuffer(nn.Module):
    def __init__(self, size, dim):
        super().__init__()
        self.register_buffer('store', F.normalize(torch.randn(size, dim), dim=1))
        self.cursor = 0

    def snapshot(self):
        return self.store.clone()

    @torch.no_grad()
    def push(self, rows):
        n = self.store.size(0)
        idx = torch.arange(self.cursor, self.cursor + rows.size(0)) % n
        self.store[idx] = rows
        self.cursor = (self.cursor + rows.size(0)) % n


class MomentumContrast(nn.Module):
    def __init__(self, vocab=60, dim=12, out=8, queue=24, momentum=0.99, tau=0.07):
        super().__init__()
        self.query = BagEncoder(vocab, dim, out)
        self.key = copy.deepcopy(self.query)
        self.key.requires_grad_(False)
        self.queue = RingBuffer(queue, out)
        self.momentum, self.tau = momentum, tau

    @torch.no_grad()
    def _update_key_encoder(self):
        for pk, pq in zip(self.key.parameters(), self.query.parameters()):
            pk.data = pk.data * self.momentum + pq.data * (1 - self.momentum)

    @torch.no_grad()
    def _keys(self, ids):
        self._update_key_encoder()
        perm = torch.randperm(ids.size(0))
        k = self.key(ids[perm])
        out = torch.empty_like(k)
        out[perm] = k
        return out

    def forward(self, a, b):
        q, k = self.query(a), self._keys(b)
        negatives = self.queue.snapshot()
        pos = torch.einsum('nd,nd->n', q, k).unsqueeze(1)
        neg = torch.einsum('nd,kd->nk', q, negatives)
        logits = torch.cat([pos, neg], dim=1).div_(self.tau)
        self.queue.push(k)
        return F.cross_entropy(logits, torch.zeros(q.size(0), dtype=torch.long))


def word_dropout(ids, p=0.2):
    out = ids.clone()
    out[torch.rand(ids.shape) < p] = 0
    out[:, 0] = ids[:, 0]
    return out


def random_sentences(n, vocab, max_len=8):
    lens = torch.randint(3, max_len + 1, (n, 1))
    ids = torch.randint(1, vocab, (n, max_len))
    ids *= (torch.arange(max_len) < lens).long()
    return ids


def train(model, batches, lr=1e-2):
    opt = torch.optim.Adam(model.query.parameters(), lr=lr)
    out = []
    for ids in batches:
        loss = model(word_dropout(ids), word_dropout(ids))
        opt.zero_grad()
        loss.backward()
        opt.step()
        out.append(loss.item())
    return out


# --- driver ---
print(train(MomentumContrast(), [random_sentences(8, 60) for _ in range(3)]))
