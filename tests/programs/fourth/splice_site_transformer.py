import random
from typing import Sequence

import torch
import torch.nn as nn
import torch.nn.functional as F

ALPHABET = {c: i for i, c in enumerate("ACGTN")}


def encode(seqs: Sequence[str]):
    width = max(map(len, seqs))
    ids = torch.full((len(seqs), width), ALPHABET["N"])
    for row, s in enumerate(seqs):
        ids[row, :len(s)] = torch.tensor([ALPHABET[c] for c in s])
    onehot = torch.zeros(len(seqs), width, 5)
    onehot.scatter_(2, ids.unsqueeze(-1), 1.0)
    onehot[ids == ALPHABET["N"]] = 0.25
    return onehot[..., :4], ids != ALPHABET["N"]


def reverse_complement(onehot, p=0.5):
    flip = torch.rand(len(onehot)) < p
    onehot[flip] = onehot[flip].flip(1, 2)
    return onehot


class LocalAttention(nn.Module):
    def __init__(self, dim, window):
        super().__init__()
        self.qkv, self.out = nn.Linear(dim, 3 * dim), nn.Linear(dim, dim)
        self.window = window
        self.bias = nn.Parameter(torch.zeros(2 * window + 1))

    def forward(self, x, valid):
        n = x.shape[1]
        q, k, v = self.qkv(x).chunk(3, -1)
        scores = q @ k.transpose(1, 2)
        scores *= q.shape[-1] ** -0.5
        offset = torch.arange(n)[None] - torch.arange(n)[:, None]
        far = offset.abs() > self.window
        scores += self.bias[offset.clamp(-self.window, self.window).add_(self.window)]
        scores.masked_fill_(far, -1e4)
        scores.masked_fill_(~valid[:, None], -1e4)
        return self.out(scores.softmax(-1) @ v)


class SpliceNet(nn.Module):
    def __init__(self, dim=12, window=3):
        super().__init__()
        self.stem = nn.Conv1d(4, dim, 5, padding=2)
        self.norm = nn.LayerNorm(dim)
        self.attn = LocalAttention(dim, window)
        self.head = nn.Linear(dim, 3)

    def forward(self, onehot, valid):
        h = self.stem(onehot.transpose(1, 2)).transpose(1, 2)
        h = h + self.attn(self.norm(h), valid)
        return self.head(F.gelu(h))


def junction_loss(logits, label, valid, weight):
    target = label.clone()
    target[~valid] = -100
    return F.cross_entropy(logits.transpose(1, 2), target, weight=weight)


def random_gene(n, rng):
    seq = [rng.choice("ACGT") for _ in range(n)]
    label = torch.zeros(n, dtype=torch.long)
    for pos, (motif, cls) in {3: ("GT", 1), n - 4: ("AG", 2)}.items():
        seq[pos:pos + 2] = motif
        label[pos] = cls
    return "".join(seq), label


def train(net, n_batches, rng, lr=1e-3):
    opt = torch.optim.AdamW(net.parameters(), lr=lr)
    weight = torch.ones(3)
    weight[1:] *= 5
    for _ in range(n_batches):
        genes = [random_gene(rng.randint(10, 14), rng) for _ in range(4)]
        x, valid = encode([g for g, _ in genes])
        label = nn.utils.rnn.pad_sequence([l for _, l in genes], batch_first=True)
        loss = junction_loss(net(reverse_complement(x), valid), label, valid, weight)
        opt.zero_grad()
        loss.backward()
        opt.step()
    return loss.item()


# --- driver ---
torch.manual_seed(0)
train(SpliceNet(), 2, random.Random(0))
