"""Character level language model trained on one long stream with a carried hidden state."""
import math
import time
from typing import Iterator, List, Tuple

import torch
import torch.nn as nn


class Corpus:
    def __init__(self, text: str):
        self.itos = sorted(set(text))
        self.stoi = {c: i for i, c in enumerate(self.itos)}
        self.ids = torch.tensor([self.stoi[c] for c in text])

    def __len__(self):
        return len(self.itos)


def batchify(ids: torch.Tensor, bsz: int) -> torch.Tensor:
    n = ids.numel() // bsz
    return ids[: n * bsz].view(bsz, n).t().contiguous()


def windows(data: torch.Tensor, bptt: int) -> Iterator[Tuple[torch.Tensor, torch.Tensor]]:
    for i in range(0, data.size(0) - 1, bptt):
        seq = min(bptt, data.size(0) - 1 - i)
        if seq < bptt:
            return
        yield data[i:i + seq], data[i + 1:i + 1 + seq].reshape(-1)


class CharRNN(nn.Module):
    def __init__(self, vocab: int, emb: int = 12, hid: int = 16, layers: int = 1):
        super().__init__()
        self.encoder = nn.Embedding(vocab, emb)
        self.cells = nn.ModuleList(nn.GRUCell(emb if i == 0 else hid, hid) for i in range(layers))
        self.decoder = nn.Linear(hid, vocab)
        self.hid = hid
        self.reset_parameters()

    def reset_parameters(self, r: float = 0.1):
        self.encoder.weight.data.uniform_(-r, r)
        self.decoder.weight.data.uniform_(-r, r)
        self.decoder.bias.data.zero_()

    def init_hidden(self, bsz: int) -> List[torch.Tensor]:
        return [torch.zeros(bsz, self.hid) for _ in self.cells]

    def forward(self, tokens, hidden):
        emb = self.encoder(tokens)
        outs = []
        for x in emb:
            nxt = []
            for cell, h in zip(self.cells, hidden):
                x = cell(x, h)
                nxt.append(x)
            hidden = nxt
            outs.append(x)
        return self.decoder(torch.stack(outs)).flatten(0, 1), hidden


class StreamTrainer:
    def __init__(self, model, lr=0.5, clip=0.25):
        self.model = model
        self.optimizer = torch.optim.SGD(model.parameters(), lr=lr, momentum=0.9)
        self.criterion = nn.CrossEntropyLoss()
        self.clip = clip
        self.history = []

    def run_epoch(self, data, bptt):
        self.model.train()
        hidden = self.model.init_hidden(data.size(1))
        start, total, count = time.time(), 0.0, 0
        for x, y in windows(data, bptt):
            logits, hidden = self.model(x, hidden)
            loss = self.criterion(logits, y)
            self.optimizer.zero_grad()
            loss.backward(retain_graph=True)
            nn.utils.clip_grad_norm_(self.model.parameters(), self.clip)
            self.optimizer.step()  # BUG
            total += loss.item() * y.numel()
            count += y.numel()
        ppl = math.exp(total / max(count, 1))
        self.history.append((ppl, time.time() - start))
        return ppl


# --- driver ---
torch.manual_seed(0)
corpus = Corpus("the quick brown fox jumps over the lazy dog and runs away " * 2)
trainer = StreamTrainer(CharRNN(len(corpus)))
trainer.run_epoch(batchify(corpus.ids, 4), bptt=8)
