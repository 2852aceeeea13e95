import math
from dataclasses import dataclass

import torch
import torch.nn as nn
import torch.nn.functional as F


@dataclass
class DecoderArgs:
    vocab: int = 17
    dim: int = 16
    heads: int = 2
    max_len: int = 8
    layers: int = 1
    temperature: float = 1.0


class KVCache:
    def __init__(self, b, heads, max_len, hd):
        self.k = torch.zeros(b, heads, max_len, hd)
        self.v = torch.zeros(b, heads, max_len, hd)
        self.pos = 0

    def append(self, k, v):
        t = k.size(2)
        self.k[:, :, self.pos:self.pos + t] = k  # BUG
        self.v = torch.cat([self.v[:, :, :self.pos], v, self.v[:, :, self.pos + t:]], dim=2)
        self.pos += t
        return self.k[:, :, :self.pos], self.v[:, :, :self.pos]


class RotaryTable(nn.Module):
    def __init__(self, hd, max_len):
        super().__init__()
        freq = torch.exp(torch.arange(0, hd, 2).float().mul_(-math.log(1e4) / hd))
        ang = torch.outer(torch.arange(max_len).float(), freq)
        self.register_buffer("cos", ang.cos(), persistent=False)
        self.register_buffer("sin", ang.sin(), persistent=False)

    def forward(self, x, start):
        n = x.size(2)
        c, s = self.cos[start:start + n], self.sin[start:start + n]
        a, b = x.chunk(2, -1)
        return torch.cat([a * c - b * s, a * s + b * c], -1)


class DecoderLayer(nn.Module):
    def __init__(self, a: DecoderArgs):
        super().__init__()
        self.a, self.hd = a, a.dim // a.heads
        self.qkv, self.o = nn.Linear(a.dim, 3 * a.dim), nn.Linear(a.dim, a.dim)
        self.rope = RotaryTable(self.hd, a.max_len)
        self.n1, self.n2 = nn.LayerNorm(a.dim), nn.LayerNorm(a.dim)
        self.ff = nn.Sequential(nn.Linear(a.dim, 2 * a.dim), nn.ReLU(True), nn.Linear(2 * a.dim, a.dim))

    def forward(self, x, cache: KVCache):
        b, t, d = x.shape
        q, k, v = (z.view(b, t, self.a.heads, self.hd).transpose(1, 2) for z in self.qkv(self.n1(x)).chunk(3, -1))
        q, k = self.rope(q, cache.pos), self.rope(k, cache.pos)
        keys, values = cache.append(k, v)
        att = (q @ keys.transpose(-1, -2)).div_(math.sqrt(self.hd)).softmax(-1)
        y = (att @ values).transpose(1, 2).reshape(b, t, d)
        x = x + self.o(y)
        return x + self.ff(self.n2(x))


class Decoder(nn.Module):
    def __init__(self, a: DecoderArgs):
        super().__init__()
        self.a = a
        self.emb = nn.Embedding(a.vocab, a.dim)
        self.layers = nn.ModuleList(DecoderLayer(a) for _ in range(a.layers))

    def caches(self, b):
        return [KVCache(b, self.a.heads, self.a.max_len, self.a.dim // self.a.heads) for _ in self.layers]

    def step(self, tok, caches):
        x = self.emb(tok).unsqueeze(1)
        for layer, c in zip(self.layers, caches):
            x = layer(x, c)
        return F.linear(x.squeeze(1), self.emb.weight)

    def rollout(self, bos, steps):
        caches, tok, logps, toks = self.caches(bos.size(0)), bos, [], []
        for _ in range(steps):
            logits = self.step(tok, caches) / self.a.temperature
            dist = torch.distributions.Categorical(logits=logits)
            tok = dist.sample()
            logps.append(dist.log_prob(tok))
            toks.append(tok)
        return torch.stack(toks, 1), torch.stack(logps, 1)


def reward_fn(toks):
    return (toks[:, 1:] > toks[:, :-1]).float().mean(1)


def policy_gradient_step(model, opt, batch, steps):
    toks, logp = model.rollout(torch.zeros(batch, dtype=torch.long), steps)
    r = reward_fn(toks)
    adv = r.sub(r.mean()).div_(r.std() + 1e-6)
    loss = -(logp.sum(1) * adv).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    return r.mean().item()


# --- driver ---
torch.manual_seed(0)
dec = Decoder(DecoderArgs())
policy_gradient_step(dec, torch.optim.Adam(dec.parameters(), lr=1e-3), batch=3, steps=4)
