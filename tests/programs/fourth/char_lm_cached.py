import math

import torch
import torch.nn as nn
import torch.nn.functional as F


def sinusoid(n, dim):
    table = torch.zeros(n, dim)
    pos = torch.arange(n).unsqueeze(1)
    div = torch.exp(torch.arange(0, dim, 2) * (-math.log(1e4) / dim))
    table[:, 0::2] = torch.sin(pos * div)
    table[:, 1::2] = torch.cos(pos * div)
    return table


class KVCache:
    def __init__(self, batch, heads, length, hd):
        self.k, self.v = torch.zeros(batch, heads, length, hd), torch.zeros(batch, heads, length, hd)
        self.n = 0

    def extend(self, k, v):
        end = self.n + k.shape[2]
        self.k[:, :, self.n:end], self.v[:, :, self.n:end] = k, v
        self.n = end
        return self.k[:, :, :end], self.v[:, :, :end]


class Attention(nn.Module):
    def __init__(self, dim, heads, length):
        super().__init__()
        self.heads = heads
        self.qkv, self.out = nn.Linear(dim, 3 * dim, bias=False), nn.Linear(dim, dim)
        mask = torch.full((length, length), float("-inf")).triu_(1)
        self.register_buffer("mask", mask, persistent=False)

    def forward(self, x, cache=None):
        b, t, d = x.shape
        q, k, v = (u.view(b, t, self.heads, -1).transpose(1, 2) for u in self.qkv(x).chunk(3, -1))
        offset = 0
        if cache is not None:
            offset = cache.n
            k, v = cache.extend(k, v)
        att = (q @ k.transpose(-1, -2)).mul_(q.shape[-1] ** -0.5)
        att += self.mask[offset:offset + t, :k.shape[2]]
        y = F.dropout(att.softmax(-1), 0.1, self.training) @ v
        return self.out(y.transpose(1, 2).reshape(b, t, d))


class Block(nn.Module):
    def __init__(self, dim, heads, length):
        super().__init__()
        self.n1, self.n2 = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.att = Attention(dim, heads, length)
        self.mlp = nn.Sequential(nn.Linear(dim, 4 * dim), nn.GELU(), nn.Linear(4 * dim, dim), nn.Dropout(0.1, inplace=True))

    def forward(self, x, cache=None):
        x = x + self.att(self.n1(x), cache)
        return x + self.mlp(self.n2(x))


class CharLM(nn.Module):
    def __init__(self, vocab=28, dim=16, heads=2, depth=2, length=16):
        super().__init__()
        self.length = length
        self.emb = nn.Embedding(vocab, dim)
        self.register_buffer("pos", sinusoid(length, dim))
        self.blocks = nn.ModuleList(Block(dim, heads, length) for _ in range(depth))
        self.norm = nn.LayerNorm(dim)

    def forward(self, ids, caches=None):
        start = caches[0].n if caches else 0
        h = self.emb(ids)
        h *= math.sqrt(h.shape[-1])
        h += self.pos[start:start + ids.shape[1]]
        for i, blk in enumerate(self.blocks):
            h = blk(h, caches[i] if caches else None)
        return F.linear(self.norm(h), self.emb.weight)

    @torch.no_grad()
    def generate(self, ids, n, top_k=5, temperature=0.8):
        self.eval()
        hd = self.emb.embedding_dim // self.blocks[0].att.heads
        caches = [KVCache(len(ids), self.blocks[0].att.heads, self.length, hd) for _ in self.blocks]
        out = torch.zeros(len(ids), ids.shape[1] + n, dtype=torch.long)
        out[:, :ids.shape[1]] = ids
        step = ids
        for t in range(ids.shape[1], out.shape[1]):
            logits = self(step, caches)[:, -1].div_(temperature)
            cut = logits.topk(top_k).values[:, -1:]
            logits[logits < cut] = float("-inf")
            step = torch.multinomial(logits.softmax(-1), 1)
            out[:, t] = step.squeeze(1)
        return out


def smoothed_nll(logits, target, eps=0.1, pad=0):
    logp = logits.log_softmax(-1)
    dist = torch.full_like(logp, eps / (logp.shape[-1] - 2))
    dist.scatter_(-1, target.unsqueeze(-1), 1 - eps)
    dist[..., pad] = 0
    dist.masked_fill_((target == pad).unsqueeze(-1), 0)
    return -(dist * logp).sum() / (target != pad).sum()


def train(model, batches, lr=1e-3):
    opt = torch.optim.AdamW(model.parameters(), lr, betas=(0.9, 0.95))
    for ids in batches:
        loss = smoothed_nll(model(ids[:, :-1]), ids[:, 1:])
        opt.zero_grad()
        loss.backward()
        opt.step()


# --- driver ---
torch.manual_seed(0)
model = CharLM()
train(model, [torch.randint(0, 28, (3, 9)) for _ in range(2)])
model.generate(torch.randint(1, 28, (2, 3)), 4)
