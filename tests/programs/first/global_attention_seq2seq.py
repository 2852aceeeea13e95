"""Seq2seq translation with Luong attention, input feeding and scheduled sampling."""
import random

import torch
import torch.nn as nn
import torch.nn.functional as F

PAD, BOS, EOS = 0, 1, 2


def sequence_mask(lengths, max_len):
    return torch.arange(max_len).unsqueeze(0) < lengths.unsqueeze(1)


class GlobalAttention(nn.Module):
    def __init__(self, dim, kind='general'):
        super().__init__()
        self.kind = kind
        if kind == 'general':
            self.w_in = nn.Linear(dim, dim, bias=False)
        elif kind == 'mlp':
            self.w_q, self.w_c, self.v = nn.Linear(dim, dim), nn.Linear(dim, dim, bias=False), nn.Linear(dim, 1, bias=False)
        self.w_out = nn.Linear(2 * dim, dim, bias=False)

    def score(self, q, ctx):
        if self.kind == 'mlp':
            return self.v(torch.tanh(self.w_q(q).unsqueeze(1) + self.w_c(ctx))).squeeze(2)
        if self.kind == 'general':
            q = self.w_in(q)
        return torch.bmm(ctx, q.unsqueeze(2)).squeeze(2)

    def forward(self, q, ctx, lengths):
        align = self.score(q, ctx)
        mask = sequence_mask(lengths, ctx.size(1))
        align.data.masked_fill_(~mask, float('-inf'))
        w = F.softmax(align, dim=-1)
        c = torch.bmm(w.unsqueeze(1), ctx).squeeze(1)
        return torch.tanh(self.w_out(torch.cat([c, q], 1))), w


class Encoder(nn.Module):
    def __init__(self, vocab, dim):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim, padding_idx=PAD)
        self.rnn = nn.GRU(dim, dim // 2, batch_first=True, bidirectional=True)

    def forward(self, src, lengths):
        packed = nn.utils.rnn.pack_padded_sequence(self.emb(src), lengths, batch_first=True, enforce_sorted=False)
        out, h = self.rnn(packed)
        ctx, _ = nn.utils.rnn.pad_packed_sequence(out, batch_first=True, total_length=src.size(1))
        return ctx, torch.cat([h[0], h[1]], dim=1)


class InputFeedDecoder(nn.Module):
    def __init__(self, vocab, dim, kind):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim, padding_idx=PAD)
        self.cell = nn.GRUCell(2 * dim, dim)
        self.attn = GlobalAttention(dim, kind)
        self.out = nn.Linear(dim, vocab)

    def forward(self, tgt, h, ctx, lengths, p_teacher=1.0):
        feed = torch.zeros_like(h)
        steps, aligns = [], []
        tok = tgt[:, 0]
        for t in range(tgt.size(1) - 1):
            h = self.cell(torch.cat([self.emb(tok), feed], 1), h)
            feed, w = self.attn(h, ctx, lengths)
            logit = self.out(feed)
            steps.append(logit)
            aligns.append(w.detach())
            tok = tgt[:, t + 1] if random.random() < p_teacher else logit.detach().argmax(1)
        return torch.stack(steps, 1), torch.stack(aligns, 1)


class Seq2Seq(nn.Module):
    def __init__(self, vocab=20, dim=16, kind='general'):
        super().__init__()
        self.enc, self.dec = Encoder(vocab, dim), InputFeedDecoder(vocab, dim, kind)

    def forward(self, src, lengths, tgt, p_teacher=1.0):
        ctx, h = self.enc(src, lengths)
        return self.dec(tgt, h, ctx, lengths, p_teacher)


def smoothed_nll(logits, gold, eps=0.1):
    logp = F.log_softmax(logits, dim=-1)
    nll = -logp.gather(-1, gold.unsqueeze(-1)).squeeze(-1)
    smooth = -logp.mean(-1)
    pad = gold.eq(PAD)
    nll = nll.masked_fill(pad, 0.0)
    smooth = smooth.masked_fill(pad, 0.0)
    return ((1 - eps) * nll + eps * smooth).sum() / (~pad).sum()


def coverage(aligns, lengths):
    cov = aligns.sum(1)
    cov.clamp_(max=1.0)
    return (cov.sum(1) / lengths).mean().item()


# --- driver ---
for kind in ('general', 'mlp'):
    model = Seq2Seq(kind=kind)
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    lens = torch.tensor([6, 4, 5])
    src = torch.randint(3, 20, (3, 6)) * sequence_mask(lens, 6)
    tgt = torch.cat([torch.full((3, 1), BOS), src.flip(1)], 1)
    logits, aligns = model(src, lens, tgt, p_teacher=0.7)
    loss = smoothed_nll(logits, tgt[:, 1:])
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(kind, loss.item(), coverage(aligns, lens))
