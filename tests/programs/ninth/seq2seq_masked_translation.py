import math

import torch
import torch.nn as nn
import torch.nn.functional as F

PAD, BOS, EOS = 0, 1, 2


class PositionalEncoding(nn.Module):
    def __init__(self, d, max_len=64, p=0.1):
        super().__init__()
        pe = torch.zeros(max_len, d)
        pos = torch.arange(max_len).float().unsqueeze(1)
        div = torch.exp(torch.arange(0, d, 2).float() * (-math.log(10000.0) / d))
        pe[:, 0::2] = torch.sin(pos * div)
        pe[:, 1::2] = torch.cos(pos * div)
        self.register_buffer("pe", pe.unsqueeze(0))
        self.drop = nn.Dropout(p)

    def forward(self, x):
        return self.drop(x + self.pe[:, : x.size(1)])


class Attention(nn.Module):
    def __init__(self, d, heads):
        super().__init__()
        self.h, self.dk = heads, d // heads
        self.q, self.k, self.v, self.o = (nn.Linear(d, d) for _ in range(4))

    def forward(self, x, mem, mask):
        def heads(t):
            return t.view(t.size(0), -1, self.h, self.dk).transpose(1, 2)

        q, k, v = heads(self.q(x)), heads(self.k(mem)), heads(self.v(mem))
        scores = torch.matmul(q, k.transpose(-2, -1))
        scores /= math.sqrt(self.dk)
        scores.masked_fill_(mask, float("-inf"))
        out = F.softmax(scores, -1) @ v
        return self.o(out.transpose(1, 2).flatten(2))


class Layer(nn.Module):
    def __init__(self, d, heads, cross):
        super().__init__()
        self.self_attn = Attention(d, heads)
        self.cross = Attention(d, heads) if cross else None
        self.ff = nn.Sequential(nn.Linear(d, 2 * d), nn.ReLU(inplace=True), nn.Linear(2 * d, d))
        self.norms = nn.ModuleList(nn.LayerNorm(d) for _ in range(3))

    def forward(self, x, mask, mem=None, mem_mask=None):
        h = self.norms[0](x)
        x = x + self.self_attn(h, h, mask)
        if self.cross is not None:
            x = x + self.cross(self.norms[1](x), mem, mem_mask)
        return x + self.ff(self.norms[2](x))


class Translator(nn.Module):
    def __init__(self, vs, vt, d=16, heads=2):
        super().__init__()
        self.src, self.tgt = nn.Embedding(vs, d), nn.Embedding(vt, d)
        self.pos = PositionalEncoding(d)
        self.enc, self.dec = Layer(d, heads, False), Layer(d, heads, True)
        self.out = nn.Linear(d, vt)

    def forward(self, src, tgt):
        sm = src.eq(PAD)[:, None, None]
        causal = torch.ones(tgt.size(1), tgt.size(1), dtype=torch.bool).triu_(1)
        tm = causal[None, None] | tgt.eq(PAD)[:, None, None]
        mem = self.enc(self.pos(self.src(src)), sm)
        return self.out(self.dec(self.pos(self.tgt(tgt)), tm, mem, sm))


class LabelSmoothing(nn.Module):
    def __init__(self, size, eps=0.1):
        super().__init__()
        self.size, self.eps = size, eps

    def forward(self, logits, target):
        logp = logits.log_softmax(-1)
        true = torch.full_like(logp, self.eps / (self.size - 2))
        true.scatter_(-1, target.unsqueeze(-1), 1 - self.eps)
        true[..., PAD] = 0
        true.masked_fill_(target.eq(PAD).unsqueeze(-1), 0.0)
        return F.kl_div(logp, true, reduction="sum") / target.ne(PAD).sum()


# --- driver ---
torch.manual_seed(1)
model, crit = Translator(12, 14), LabelSmoothing(14)
opt = torch.optim.Adam(model.parameters(), lr=1e-3, betas=(0.9, 0.98))
src = torch.tensor([[3, 4, 5, 0], [6, 7, 8, 9]])
tgt = torch.tensor([[1, 3, 4, 2], [1, 5, 2, 0]])
loss = crit(model(src, tgt[:, :-1]), tgt[:, 1:])
loss.backward()
opt.step()
