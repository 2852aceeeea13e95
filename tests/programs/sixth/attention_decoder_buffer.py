import argparse

import torch
from torch import nn


class Attention(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.q = nn.Linear(dim, dim, bias=False)
        self.v = nn.Parameter(torch.randn(dim) * 0.1)

    def forward(self, query, memory, mask=None):
        e = torch.tanh(self.q(query).unsqueeze(1) + memory) @ self.v
        if mask is not None:
            e.masked_fill_(mask, -1e9)
        w = torch.softmax(e, dim=-1)
        return torch.bmm(w.unsqueeze(1), memory).squeeze(1)


class Encoder(nn.Module):
    def __init__(self, vocab, dim):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim)
        self.rnn = nn.GRU(dim, dim, batch_first=True)

    def forward(self, src):
        out, h = self.rnn(self.emb(src))
        return out, h[-1]


class Decoder(nn.Module):
    def __init__(self, vocab, dim):
        super().__init__()
        self.dim = dim
        self.emb = nn.Embedding(vocab, dim)
        self.cell = nn.GRUCell(2 * dim, dim)
        self.attn = Attention(dim)
        self.self_attn = Attention(dim)
        self.out = nn.Linear(2 * dim, vocab)

    def forward(self, tgt, memory, h0, mask=None):
        bsz, steps = tgt.shape
        states = memory.new_zeros(bsz, steps + 1, self.dim)
        states[:, 0] = h0
        logits = []
        for t in range(steps):
            prev = states[:, t]
            ctx = self.attn(prev, memory, mask)
            h = self.cell(torch.cat([self.emb(tgt[:, t]), ctx], dim=-1), prev)
            past = self.self_attn(h, states[:, : t + 1])
            states[:, t + 1] = h  # BUG
            logits.append(self.out(torch.cat([h, past], dim=-1)))
        return torch.stack(logits, dim=1)


class Seq2Seq(nn.Module):
    def __init__(self, args):
        super().__init__()
        self.pad = args.pad
        self.encoder = Encoder(args.vocab, args.dim)
        self.decoder = Decoder(args.vocab, args.dim)

    def forward(self, src, tgt_in):
        memory, h = self.encoder(src)
        return self.decoder(tgt_in, memory, h, mask=src.eq(self.pad))


def shift_right(tgt, bos):
    out = torch.empty_like(tgt)
    out[:, 0] = bos
    out[:, 1:] = tgt[:, :-1]
    return out


def train_step(model, opt, src, tgt, args):
    opt.zero_grad()
    logits = model(src, shift_right(tgt, args.bos))
    loss = nn.functional.cross_entropy(logits.flatten(0, 1), tgt.flatten(), ignore_index=args.pad)
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), args.clip)
    opt.step()
    return loss.item()


# --- driver ---
args = argparse.Namespace(vocab=20, dim=8, pad=0, bos=1, clip=1.0)
torch.manual_seed(0)
model = Seq2Seq(args)
opt = torch.optim.Adam(model.parameters(), lr=1e-3)
train_step(model, opt, torch.randint(2, 20, (3, 5)), torch.randint(2, 20, (3, 4)), args)
