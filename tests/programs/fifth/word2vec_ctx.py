"""Skip-gram with a learned context projection and norm-bounded vectors."""
import collections
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

CORPUS = "a b c d e f a c e b d f a d b e c f".split()
WINDOW = 2


def build_vocab(tokens):
    counts = collections.Counter(tokens)
    vocab = {w: i for i, (w, _) in enumerate(counts.most_common())}
    freq = np.array([counts[w] for w in vocab], dtype='float64')
    freq **= 0.75
    freq /= freq.sum()
    return vocab, freq


def pairs(ids, window):
    out = []
    for i, c in enumerate(ids):
        for j in range(max(0, i - window), min(len(ids), i + window + 1)):
            if i != j:
                out.append((c, ids[j]))
    return torch.tensor(out)


class SkipGram(nn.Module):
    def __init__(self, vocab_size, dim):
        super().__init__()
        self.emb = nn.Embedding(vocab_size, dim, max_norm=1.0)
        self.ctx = nn.Linear(dim, dim, bias=False)
        nn.init.normal_(self.emb.weight, std=1.0)
        nn.init.eye_(self.ctx.weight)

    def context_table(self):
        return self.ctx(self.emb.weight)

    def forward(self, center, pos, neg):
        table = self.context_table()
        v = self.emb(center)  # BUG
        u_pos = table[pos]
        u_neg = table[neg]
        s_pos = (v * u_pos).sum(-1)
        s_neg = torch.einsum('bd,bkd->bk', v, u_neg)
        return -(F.logsigmoid(s_pos) + F.logsigmoid(-s_neg).sum(-1)).mean()


class NegativeSampler:
    def __init__(self, p, k, seed=0):
        self.p, self.k = p, k
        self.rng = np.random.RandomState(seed)

    def __call__(self, n):
        s = self.rng.choice(len(self.p), size=(n, self.k), p=self.p)
        return torch.from_numpy(s)


def train(epochs, dim=6, bs=16, k=3, lr=0.05):
    vocab, freq = build_vocab(CORPUS)
    data = pairs([vocab[w] for w in CORPUS], WINDOW)
    sampler = NegativeSampler(freq, k)
    model = SkipGram(len(vocab), dim)
    opt = torch.optim.SGD(model.parameters(), lr=lr)
    for _ in range(epochs):
        for chunk in data[torch.randperm(len(data))].split(bs):
            loss = model(chunk[:, 0], chunk[:, 1], sampler(len(chunk)))
            opt.zero_grad()
            loss.backward()
            opt.step()
    return model, vocab


@torch.no_grad()
def nearest(model, idx, k=2):
    w = F.normalize(model.emb.weight, dim=1)
    sim = w @ w[idx]
    sim[idx] = -1
    return sim.topk(k).indices.tolist()


# --- driver ---
torch.manual_seed(0)
train(1)
