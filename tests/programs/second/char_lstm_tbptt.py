"""Character level LSTM language model trained with windows over a long text."""
import math

import torch
import torch.nn as nn
import torch.nn.functional as F

TEXT = (
    "it was the best of times, it was the worst of times, it was the age of wisdom, "
    "it was the age of foolishness, it was the epoch of belief, it was the epoch of incredulity"
)


class Corpus:
    def __init__(self, text):
        self.vocab = sorted(set(text))
        self.stoi = {c: i for i, c in enumerate(self.vocab)}
        self.ids = torch.tensor([self.stoi[c] for c in text])

    def batchify(self, batch_size):
        n = self.ids.numel() // batch_size
        return self.ids[: n * batch_size].view(batch_size, n)


class CharLSTM(nn.Module):
    def __init__(self, vocab, emb=16, hidden=32, layers=2):
        super().__init__()
        self.emb = nn.Embedding(vocab, emb)
        self.lstm = nn.LSTM(emb, hidden, layers, batch_first=True)
        self.out = nn.Linear(hidden, vocab)
        self.hidden, self.layers = hidden, layers
        self.reset_parameters()

    def reset_parameters(self):
        nn.init.uniform_(self.emb.weight, -0.1, 0.1)
        nn.init.zeros_(self.out.bias)

    def init_state(self, bsz):
        w = self.out.weight
        h = w.new_zeros(self.layers, bsz, self.hidden)
        return h, h.clone()

    def forward(self, x, state):
        y, state = self.lstm(self.emb(x), state)
        return self.out(y), state


def windows(data, seq_len):
    for i in range(0, data.size(1) - 1, seq_len):
        n = min(seq_len, data.size(1) - 1 - i)
        yield data[:, i:i + n], data[:, i + 1:i + 1 + n]


def train_epoch(model, data, opt, seq_len=10, clip=1.0, max_windows=None):
    model.train()
    state = model.init_state(data.size(0))
    total, count = 0.0, 0
    for step, (x, y) in enumerate(windows(data, seq_len)):
        if max_windows is not None and step >= max_windows:
            break
        opt.zero_grad()
        logits, state = model(x, state)
        loss = F.cross_entropy(logits.reshape(-1, logits.size(-1)), y.reshape(-1))
        loss.backward(retain_graph=True)
        nn.utils.clip_grad_norm_(model.parameters(), clip)
        opt.step()  # BUG
        total += loss.item() * y.numel()
        count += y.numel()
    return math.exp(total / max(count, 1))


# --- driver ---
torch.manual_seed(0)
corpus = Corpus(TEXT)
model = CharLSTM(len(corpus.vocab))
train_epoch(model, corpus.batchify(4), torch.optim.Adam(model.parameters(), lr=1e-2), max_windows=3)
