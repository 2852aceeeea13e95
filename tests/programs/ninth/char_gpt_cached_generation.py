import math

import torch
import torch.nn as nn
import torch.nn.functional as F


class KVCache:
    def __init__(self, layers, batch, heads, length, dim):
        self.k = torch.zeros(layers, batch, heads, length, dim)
        self.v = torch.zeros_like(self.k)
        self.n = 0

    def put(self, layer, k, v):
        end = self.n + k.size(2)
        self.k[layer, :, :, self.n:end] = k
        self.v[layer, :, :, self.n:end].copy_(v)
        return self.k[layer, :, :, :end], self.v[layer, :, :, :end]


def rotary(x, start):
    half = x.size(-1) // 2
    freq = torch.arange(half).float().mul_(-math.log(1e4) / half).exp_()
    ang = torch.arange(start, start + x.size(-2)).float()[:, None] * freq
    a, b = x[..., :half], x[..., half:]
    out = torch.empty_like(x)
    out[..., :half] = a * ang.cos() - b * ang.sin()
    out[..., half:] = a * ang.sin() + b * ang.cos()
    return out


class Block(nn.Module):
    def __init__(self, i, d, heads):
        super().__init__()
        self.i, self.h = i, heads
        self.n1, self.n2 = nn.LayerNorm(d), nn.LayerNorm(d)
        self.qkv, self.o = nn.Linear(d, 3 * d, bias=False), nn.Linear(d, d, bias=False)
        self.up, self.down = nn.Linear(d, 2 * d), nn.Linear(2 * d, d)

    def forward(self, x, cache=None):
        b, n, d = x.shape
        q, k, v = self.qkv(self.n1(x)).view(b, n, 3, self.h, -1).permute(2, 0, 3, 1, 4)
        start = cache.n if cache else 0
        q, k = rotary(q, start), rotary(k, start)
        if cache:
            k, v = cache.put(self.i, k, v)
        bias = torch.zeros(n, k.size(2))
        bias.masked_fill_(torch.ones(n, k.size(2), dtype=torch.bool).triu_(k.size(2) - n + 1), float("-inf"))
        att = q @ k.transpose(-1, -2)
        att.mul_(1 / math.sqrt(q.size(-1))).add_(bias)
        y = att.softmax(-1) @ v
        x = x + self.o(y.transpose(1, 2).reshape(b, n, d))
        h = self.up(self.n2(x))
        return x + self.down(F.gelu(h))


class GPT(nn.Module):
    def __init__(self, vocab, d=12, heads=2, depth=2, ctx=24):
        super().__init__()
        self.cfg = (depth, heads, ctx, d // heads)
        self.emb = nn.Embedding(vocab, d)
        self.blocks = nn.ModuleList(Block(i, d, heads) for i in range(depth))
        self.norm, self.head = nn.LayerNorm(d), nn.Linear(d, vocab, bias=False)
        for name, p in self.named_parameters():
            if name.endswith(("o.weight", "down.weight")):
                p.data.div_(math.sqrt(2 * depth))

    def forward(self, ids, cache=None):
        x = self.emb(ids)
        for blk in self.blocks:
            x = blk(x, cache)
        if cache:
            cache.n += ids.size(1)
        return self.head(self.norm(x))

    @torch.no_grad()
    def generate(self, ids, n, temp=0.8, top_k=4, top_p=0.9, repeat=1.2):
        depth, heads, ctx, dim = self.cfg
        cache, step = KVCache(depth, len(ids), heads, ctx, dim), ids
        for _ in range(n):
            logits = self(step, cache)[:, -1]
            seen = logits.gather(1, ids)
            logits.scatter_(1, ids, torch.where(seen < 0, seen * repeat, seen / repeat))
            logits.div_(temp)
            logits[logits < logits.topk(top_k).values[:, -1:]] = float("-inf")
            val, order = logits.sort(descending=True)
            cut = val.softmax(-1).cumsum(-1) > top_p
            cut[:, 1:] = cut[:, :-1].clone()
            cut[:, 0] = False
            logits.masked_fill_(cut.scatter(1, order, cut), float("-inf"))
            step = torch.multinomial(logits.softmax(-1), 1)
            ids = torch.cat([ids, step], 1)
        return ids


# --- driver ---
torch.manual_seed(23)
net = GPT(10)
opt = torch.optim.AdamW(net.parameters(), lr=1e-3)
for _ in range(2):
    x = torch.randint(0, 10, (2, 9))
    loss = F.cross_entropy(net(x[:, :-1]).flatten(0, 1), x[:, 1:].flatten())
    opt.zero_grad()
    loss.backward()
    opt.step()
print(net.generate(x[:, :3], 5).tolist())
