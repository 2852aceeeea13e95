"""Sentence classifier that logs attention heat maps while it trains."""
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F


class Vocabulary:
    def __init__(self, sentences):
        words = sorted({w for s in sentences for w in s.split()})
        self.index = {"<pad>": 0, **{w: i + 1 for i, w in enumerate(words)}}

    def __len__(self):
        return len(self.index)

    def encode(self, sentences, length):
        out = torch.zeros(len(sentences), length, dtype=torch.long)
        for i, s in enumerate(sentences):
            ids = [self.index[w] for w in s.split()][:length]
            out[i, :len(ids)] = torch.tensor(ids)
        return out


class HeatmapLogger:
    def __init__(self, every=1, cutoff=0.15):
        self.every, self.cutoff = every, cutoff
        self.calls = 0
        self.frames = []

    def __call__(self, attn):
        self.calls += 1
        if self.calls % self.every:
            return
        heat = attn.detach().cpu().numpy()
        heat[heat < self.cutoff] = 0.0  # BUG silent
        peak = heat.max(axis=-1, keepdims=True)
        self.frames.append((heat / np.maximum(peak, 1e-6) * 255).astype(np.uint8))


class SelfAttention(nn.Module):
    def __init__(self, dim, observer=None):
        super().__init__()
        self.q, self.k, self.v = (nn.Linear(dim, dim) for _ in range(3))
        self.observer = observer
        self.dim = dim

    def forward(self, x, pad):
        scores = self.q(x) @ self.k(x).transpose(1, 2)
        scores.div_(self.dim ** 0.5)
        scores.masked_fill_(pad[:, None, :], -1e4)
        attn = scores.softmax(-1)
        ctx = attn @ self.v(x)
        if self.observer is not None and self.training:
            self.observer(attn)
        return ctx


class Classifier(nn.Module):
    def __init__(self, vocab, dim, classes, observer):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim, padding_idx=0)
        self.attn = SelfAttention(dim, observer)
        self.norm = nn.LayerNorm(dim)
        self.out = nn.Linear(dim, classes)

    def forward(self, ids):
        pad = ids.eq(0)
        x = self.emb(ids)
        h = self.norm(x + self.attn(x, pad))
        h = h.masked_fill(pad[..., None], 0.0).sum(1)
        return self.out(h / (~pad).sum(1, keepdim=True))


SENTENCES = [
    ("the film was a quiet joy", 1), ("dull and far too long", 0), ("a warm and funny story", 1),
    ("i left before the end", 0), ("the cast is superb", 1), ("a mess of half ideas", 0),
]


def batches(data, vocab, size, length):
    for i in range(0, len(data), size):
        text, label = zip(*data[i:i + size])
        yield vocab.encode(text, length), torch.tensor(label)


def train(data, dim=12, epochs=1, size=3, length=6):
    vocab = Vocabulary([s for s, _ in data])
    logger = HeatmapLogger()
    model = Classifier(len(vocab), dim, 2, logger)
    opt = torch.optim.Adam(model.parameters(), lr=1e-2)
    for _ in range(epochs):
        for ids, y in batches(data, vocab, size, length):
            loss = F.cross_entropy(model(ids), y)
            opt.zero_grad()
            loss.backward()
            opt.step()
    return model, logger.frames


# --- driver ---
torch.manual_seed(0)
train(SENTENCES)
