"""Masked language modelling with dynamic masking."""
import dataclasses
import math

import torch
import torch.nn as nn
import torch.nn.functional as F

PAD, MASK, N_SPECIAL = 0, 1, 2


@dataclasses.dataclass
class BertConfig:
    vocab: int = 24
    dim: int = 16
    heads: int = 2
    layers: int = 2
    max_len: int = 12
    mlm_prob: float = 0.3
    dropout: float = 0.1


def sinusoid(max_len, dim):
    pe = torch.zeros(max_len, dim)
    pos = torch.arange(max_len).float().unsqueeze(1)
    div = torch.exp(torch.arange(0, dim, 2).float() * (-math.log(10000.0) / dim))
    pe[:, 0::2] = torch.sin(pos * div)
    pe[:, 1::2] = torch.cos(pos * div)
    return pe


def mask_tokens(ids, cfg):
    inputs, labels = ids.clone(), ids.clone()
    prob = torch.full(ids.shape, cfg.mlm_prob)
    prob.masked_fill_(ids < N_SPECIAL, 0.0)
    chosen = torch.bernoulli(prob).bool()
    chosen[:, 0] = True
    labels[~chosen] = -100
    replaced = torch.bernoulli(torch.full(ids.shape, 0.8)).bool() & chosen
    inputs[replaced] = MASK
    rand = torch.bernoulli(torch.full(ids.shape, 0.5)).bool() & chosen & ~replaced
    inputs[rand] = torch.randint(N_SPECIAL, cfg.vocab, ids.shape)[rand]
    return inputs, labels


class Attention(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.h, self.hd = c.heads, c.dim // c.heads
        self.qkv, self.out = nn.Linear(c.dim, 3 * c.dim), nn.Linear(c.dim, c.dim)
        self.drop = nn.Dropout(c.dropout)

    def forward(self, x, bias):
        b, n, d = x.shape
        q, k, v = self.qkv(x).reshape(b, n, 3, self.h, self.hd).permute(2, 0, 3, 1, 4).unbind(0)
        q = q.mul(self.hd ** -0.5)
        scores = q @ k.transpose(-2, -1)
        scores += bias
        p = self.drop(scores.softmax(-1))
        return self.out((p @ v).transpose(1, 2).reshape(b, n, d))


class Layer(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.att, self.n1, self.n2 = Attention(c), nn.LayerNorm(c.dim), nn.LayerNorm(c.dim)
        self.ff1, self.ff2 = nn.Linear(c.dim, 2 * c.dim), nn.Linear(2 * c.dim, c.dim)

    def forward(self, x, bias):
        y = self.att(x, bias)
        y += x
        y = self.n1(y)
        z = self.ff2(F.relu_(self.ff1(y)))
        z += y
        return self.n2(z)


class BertMLM(nn.Module):
    def __init__(self, c: BertConfig):
        super().__init__()
        self.emb = nn.Embedding(c.vocab, c.dim, padding_idx=PAD)
        self.register_buffer("pe", sinusoid(c.max_len, c.dim))
        self.layers = nn.ModuleList(Layer(c) for _ in range(c.layers))
        self.bias = nn.Parameter(torch.zeros(c.vocab))

    def forward(self, ids):
        x = self.emb(ids)
        x += self.pe[:ids.size(1)]
        bias = torch.zeros(ids.size(0), 1, 1, ids.size(1))
        bias.masked_fill_(ids.eq(PAD)[:, None, None], -1e4)
        for l in self.layers:
            x = l(x, bias)
        logits = F.linear(x, self.emb.weight)
        return logits.add_(self.bias)


def pretrain(model, cfg, corpus, lr=1e-3):
    opt = torch.optim.AdamW(model.parameters(), lr=lr)
    for ids in corpus:
        inputs, labels = mask_tokens(ids, cfg)
        loss = F.cross_entropy(model(inputs).flatten(0, 1), labels.flatten(), ignore_index=-100)
        opt.zero_grad()
        loss.backward()
        opt.step()
    return loss.item()


# --- driver ---
torch.manual_seed(0)
cfg = BertConfig()
docs = torch.randint(N_SPECIAL, cfg.vocab, (2, 3, 10))
docs[:, :, 8:] = PAD
pretrain(BertMLM(cfg), cfg, docs)
