"""Character language model trained over one long stream in chunks."""
import math

import torch
import torch.nn as nn
import torch.nn.functional as F


class Vocab:
    def __init__(self, text):
        self.chars = sorted(set(text))
        self.index = {c: i for i, c in enumerate(self.chars)}

    def __len__(self):
        return len(self.chars)

    def encode(self, text):
        return torch.tensor([self.index[c] for c in text])


class CharRNN(nn.Module):
    def __init__(self, vocab, emb=12, hidden=24, layers=2):
        super().__init__()
        self.emb = nn.Embedding(vocab, emb)
        self.rnn = nn.LSTM(emb, hidden, layers)
        self.out = nn.Linear(hidden, vocab)
        self.layers, self.hidden = layers, hidden

    def init_hidden(self, batch):
        w = next(self.parameters())
        return tuple(w.new_zeros(self.layers, batch, self.hidden) for _ in range(2))

    def forward(self, ids, state):
        y, state = self.rnn(self.emb(ids), state)
        return self.out(y), state


def batchify(stream, batch):
    n = stream.numel() // batch
    return stream[:n * batch].view(batch, n).t().contiguous()


def chunks(data, bptt):
    for i in range(0, data.size(0) - 1, bptt):
        n = min(bptt, data.size(0) - 1 - i)
        yield data[i:i + n], data[i + 1:i + 1 + n]


class StreamTrainer:
    def __init__(self, model, lr=1e-2, clip=0.25, bptt=8):
        self.model, self.clip, self.bptt = model, clip, bptt
        self.opt = torch.optim.SGD(model.parameters(), lr=lr)

    def train_epoch(self, data):
        self.model.train()
        state = self.model.init_hidden(data.size(1))
        total, count = 0.0, 0
        for x, y in chunks(data, self.bptt):
            logits, state = self.model(x, state)
            loss = F.cross_entropy(logits.flatten(0, 1), y.flatten())
            self.opt.zero_grad()
            loss.backward(retain_graph=True)
            nn.utils.clip_grad_norm_(self.model.parameters(), self.clip)
            self.opt.step()  # BUG
            total += loss.item() * y.numel()
            count += y.numel()
        return math.exp(total / count)

    @torch.no_grad()
    def sample(self, vocab, seed, n=10):
        self.model.eval()
        state = self.model.init_hidden(1)
        ids, text = vocab.encode(seed).unsqueeze(1), seed
        for _ in range(n):
            logits, state = self.model(ids, state)
            p = logits[-1, 0].div_(0.8).softmax(-1)
            ids = torch.multinomial(p, 1).unsqueeze(1)
            text += vocab.chars[ids.item()]
        return text


# --- driver ---
text = 'the quick brown fox jumps over the lazy dog and runs away again ' * 3
vocab = Vocab(text)
trainer = StreamTrainer(CharRNN(len(vocab)))
data = batchify(vocab.encode(text), 4)
print(trainer.train_epoch(data))
print(trainer.sample(vocab, 'the '))
