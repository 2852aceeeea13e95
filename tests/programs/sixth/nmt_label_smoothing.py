import math

import torch
import torch.nn as nn
import torch.nn.functional as F


class LabelSmoothing(nn.Module):
    def __init__(self, size, pad, eps):
        super().__init__()
        self.size, self.pad, self.eps = size, pad, eps
        self.true_dist = None

    def forward(self, logp, target):
        dist = torch.empty_like(logp, requires_grad=False)
        dist.fill_(self.eps / (self.size - 2))
        dist.scatter_(1, target.unsqueeze(1), 1 - self.eps)
        dist[:, self.pad] = 0
        dist.masked_fill_(target.eq(self.pad).unsqueeze(1), 0.0)
        self.true_dist = dist
        return F.kl_div(logp, dist, reduction="sum")


class PositionalEncoding(nn.Module):
    def __init__(self, dim, dropout, max_len=32):
        super().__init__()
        self.drop = nn.Dropout(dropout)
        pe = torch.zeros(max_len, dim)
        pos = torch.arange(0, max_len).unsqueeze(1).float()
        div = torch.arange(0, dim, 2).float().mul_(-math.log(10000.0) / dim).exp_()
        pe[:, 0::2] = torch.sin(pos * div)
        pe[:, 1::2] = torch.cos(pos * div)
        self.register_buffer("pe", pe.unsqueeze(0))

    def forward(self, x):
        return self.drop(x + self.pe[:, : x.size(1)])


class NoamOpt:
    def __init__(self, dim, factor, warmup, opt):
        self.dim, self.factor, self.warmup, self.opt, self.n = dim, factor, warmup, opt, 0

    def step(self):
        self.n += 1
        lr = self.factor * self.dim ** -0.5 * min(self.n ** -0.5, self.n * self.warmup ** -1.5)
        for g in self.opt.param_groups:
            g["lr"] = lr
        self.opt.step()
        self.opt.zero_grad()


class NMT(nn.Module):
    def __init__(self, vocab, dim, pad=0):
        super().__init__()
        self.pad, self.dim = pad, dim
        self.emb = nn.Embedding(vocab, dim, padding_idx=pad)
        self.pos = PositionalEncoding(dim, 0.1)
        self.core = nn.Transformer(dim, 2, 1, 1, 2 * dim, dropout=0.1, batch_first=True)
        self.gen = nn.Linear(dim, vocab)

    def embed(self, ids):
        e = self.emb(ids)
        e *= math.sqrt(self.dim)
        return self.pos(e)

    def forward(self, src, tgt):
        n = tgt.size(1)
        causal = torch.zeros(n, n, dtype=torch.bool)
        causal.logical_or_(torch.ones(n, n, dtype=torch.bool).triu_(1))
        h = self.core(
            self.embed(src), self.embed(tgt), tgt_mask=causal,
            src_key_padding_mask=src.eq(self.pad), tgt_key_padding_mask=tgt.eq(self.pad), memory_key_padding_mask=src.eq(self.pad),
        )
        return self.gen(h).log_softmax(-1)


class LossCompute:
    def __init__(self, criterion, opt):
        self.criterion, self.opt = criterion, opt
        self.tokens = torch.zeros((), dtype=torch.long)
        self.total = torch.zeros(())

    def __call__(self, logp, y):
        norm = y.ne(0).sum()
        loss = self.criterion(logp.flatten(0, 1), y.flatten())
        loss /= norm
        loss.backward()
        self.opt.step()
        self.tokens += norm
        self.total.add_(loss.detach() * norm)


def copy_task(vocab, batch, n, batches):
    for _ in range(batches):
        data = torch.randint(1, vocab, (batch, n))
        data[:, 0] = 1
        data[0, -2:] = 0
        yield data, data.clone()


# --- driver ---
torch.manual_seed(0)
model = NMT(11, 8)
compute = LossCompute(LabelSmoothing(11, 0, 0.1), NoamOpt(8, 1.0, 400, torch.optim.Adam(model.parameters(), lr=0.0)))
for src, tgt in copy_task(11, 3, 6, 2):
    compute(model(src, tgt[:, :-1]), tgt[:, 1:])
