import torch
import torch.nn as nn
import torch.nn.functional as F


class LayerNormLSTMCell(nn.Module):
    def __init__(self, d_in, d_h):
        super().__init__()
        self.x2h = nn.Linear(d_in, 4 * d_h)
        self.h2h = nn.Linear(d_h, 4 * d_h, bias=False)
        self.ln_c = nn.LayerNorm(d_h)
        self.d_h = d_h
        self.reset()

    def reset(self):
        for p in self.parameters():
            if p.dim() > 1:
                nn.init.xavier_uniform_(p)
        with torch.no_grad():
            self.x2h.bias[self.d_h : 2 * self.d_h] += 1.0

    def forward(self, x, h, c):
        pre = self.x2h(x)
        pre += self.h2h(h)
        i = torch.sigmoid(pre[:, : self.d_h])
        f = torch.sigmoid(pre[:, self.d_h : 2 * self.d_h])
        g = torch.tanh(pre[:, 2 * self.d_h : 3 * self.d_h])
        o = torch.sigmoid(pre[:, 3 * self.d_h :])
        c = c * f
        c.addcmul_(i, g)
        return o * torch.tanh(self.ln_c(c)), c


class LockedDropout:
    def __init__(self, p):
        self.p = p
        self.mask = None

    def sample(self, ref):
        self.mask = torch.empty_like(ref).bernoulli_(1 - self.p).div_(1 - self.p)

    def __call__(self, x):
        return x * self.mask


class Tagger(nn.Module):
    def __init__(self, vocab, tags, dim=8, p=0.2):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim, padding_idx=0)
        self.cell = LayerNormLSTMCell(dim, dim)
        self.drop = LockedDropout(p)
        self.out = nn.Linear(dim, tags)
        self.dim = dim

    def forward(self, ids):
        bsz, n = ids.shape
        x = self.emb(ids)
        h, c = x.new_zeros(bsz, self.dim), x.new_zeros(bsz, self.dim)
        self.drop.sample(h)
        seq = x.new_zeros(bsz, n, self.dim)
        for t in range(n):
            h, c = self.cell(x[:, t], h, c)
            seq[:, t] = self.drop(h) if self.training else h
        logits = self.out(seq)
        logits[ids.eq(0)] = 0.0
        return logits


def token_accuracy(logits, gold, pad=-1):
    hits = logits.argmax(-1).eq(gold)
    hits &= gold.ne(pad)
    return hits.sum().item() / max(1, gold.ne(pad).sum().item())


def pad_batch(seqs, value):
    n = max(map(len, seqs))
    out = torch.full((len(seqs), n), value, dtype=torch.long)
    for i, s in enumerate(seqs):
        out[i, : len(s)] = torch.tensor(s)
    return out


def train(model, sentences, labels, epochs=1):
    opt = torch.optim.Adam(model.parameters(), lr=1e-2)
    ids, gold = pad_batch(sentences, 0), pad_batch(labels, -1)
    acc = []
    for _ in range(epochs):
        model.train()
        logits = model(ids)
        loss = F.cross_entropy(logits.flatten(0, 1), gold.flatten(), ignore_index=-1)
        opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        opt.step()
        acc.append(token_accuracy(logits, gold))
    return acc


# --- driver ---
torch.manual_seed(0)
train(Tagger(12, 4), [[1, 2, 3], [4, 5, 6, 7], [8]], [[0, 1, 2], [3, 0, 1, 1], [2]], epochs=2)
