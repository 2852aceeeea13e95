"""Masked language model with fixed positions, relative bias and padding."""
import math
from types import SimpleNamespace
import torch
import torch.nn as nn
import torch.nn.functional as F

PAD, MASK, FIRST = 0, 1, 2


def sinusoid(n, d):
    pe = torch.zeros(n, d)
    pos = torch.arange(n).unsqueeze(1)
    div = torch.arange(0, d, 2).float().mul_(-math.log(10000.0) / d).exp_()
    pe[:, 0::2] = torch.sin(pos * div)
    pe[:, 1::2] = torch.cos(pos * div)
    return pe


def corrupt(ids, vocab, p=0.3):
    ids = ids.clone()
    labels = ids.clone()
    prob = torch.full(ids.shape, p)
    prob.masked_fill_(ids == PAD, 0.0)
    picked = torch.bernoulli(prob).bool()
    picked[:, 0] = True
    labels[~picked] = -100
    to_mask = picked & (torch.rand(ids.shape) < 0.8)
    ids[to_mask] = MASK
    to_rand = picked & ~to_mask & (torch.rand(ids.shape) < 0.5)
    ids[to_rand] = torch.randint(FIRST, vocab, (int(to_rand.sum()),))
    return ids, labels


class RelBias(nn.Module):
    def __init__(self, heads, span):
        super().__init__()
        self.table = nn.Embedding(2 * span + 1, heads)
        self.span = span

    def forward(self, n):
        rel = torch.arange(n)[None] - torch.arange(n)[:, None]
        rel.clamp_(-self.span, self.span).add_(self.span)
        return self.table(rel).permute(2, 0, 1)


class Attention(nn.Module):
    def __init__(self, d, heads, span, p=0.1):
        super().__init__()
        self.heads, self.p = heads, p
        self.qkv, self.o = nn.Linear(d, 3 * d), nn.Linear(d, d)
        self.bias = RelBias(heads, span)

    def forward(self, x, pad):
        b, n, d = x.shape
        q, k, v = self.qkv(x).view(b, n, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        s = q @ k.transpose(-1, -2)
        s.mul_(q.shape[-1] ** -0.5)
        s += self.bias(n)
        s.masked_fill_(pad[:, None, None], torch.finfo(s.dtype).min)
        a = F.dropout(s.softmax(-1), self.p, self.training)
        return self.o((a @ v).transpose(1, 2).reshape(b, n, d))


class MLM(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.emb = nn.Embedding(c.vocab, c.d)
        with torch.no_grad():
            self.emb.weight[PAD].zero_()
        self.register_buffer("pe", sinusoid(c.max_len, c.d))
        self.attn = nn.ModuleList(Attention(c.d, c.heads, 4) for _ in range(c.layers))
        self.ff = nn.ModuleList(nn.Sequential(nn.Linear(c.d, 2 * c.d), nn.ReLU(inplace=True), nn.Linear(2 * c.d, c.d)) for _ in range(c.layers))
        self.norm = nn.ModuleList(nn.LayerNorm(c.d) for _ in range(2 * c.layers))

    def forward(self, ids):
        pad = ids == PAD
        x = self.emb(ids) * math.sqrt(self.emb.embedding_dim)
        x += self.pe[:ids.shape[1]]
        for i, (attn, ff) in enumerate(zip(self.attn, self.ff)):
            x = self.norm[2 * i](x + attn(x, pad))
            h = ff(x)
            h += x
            x = self.norm[2 * i + 1](h)
        return x @ self.emb.weight.t()


def step(model, opt, ids, vocab):
    x, y = corrupt(ids, vocab)
    loss = F.cross_entropy(model(x).flatten(0, 1), y.flatten())
    opt.zero_grad()
    loss.backward()
    model.emb.weight.grad[PAD].zero_()
    opt.step()


# --- driver ---
torch.manual_seed(64)
cfg = SimpleNamespace(vocab=14, d=8, heads=2, layers=2, max_len=10)
model = MLM(cfg)
opt = torch.optim.AdamW(model.parameters(), 1e-3)
ids = torch.randint(FIRST, 14, (3, 7))
ids[1, 5:] = PAD
for _ in range(2):
    step(model, opt, ids, cfg.vocab)
