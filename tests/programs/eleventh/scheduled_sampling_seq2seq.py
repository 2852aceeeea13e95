"""Number-to-reversed-number seq2seq; the decoder is fed its own samples with a rising probability."""
import random
from typing import Iterator, Tuple

import torch
from torch import Tensor, nn
from torch.nn import functional as F

BOS, EOS, OFFSET = 0, 1, 2


class Encoder(nn.Module):
    def __init__(self, vocab: int, dim: int):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim)
        self.rnn = nn.GRU(dim, dim, batch_first=True)

    def forward(self, src: Tensor) -> Tuple[Tensor, Tensor]:
        seq, last = self.rnn(self.emb(src))
        return seq, last[0]


class Decoder(nn.Module):
    def __init__(self, vocab: int, dim: int):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim)
        self.cell = nn.GRUCell(2 * dim, dim)
        self.key = nn.Linear(dim, dim, bias=False)
        self.out = nn.Linear(2 * dim, vocab)

    def forward(self, token: Tensor, h: Tensor, memory: Tensor) -> Tuple[Tensor, Tensor]:
        att = torch.einsum("bd,bsd->bs", self.key(h), memory).softmax(-1)
        ctx = torch.einsum("bs,bsd->bd", att, memory)
        h = self.cell(torch.cat([self.emb(token), ctx], -1), h)
        return self.out(torch.cat([h, ctx], -1)), h


class InverseSigmoid:
    """Probability of teacher forcing as a function of the step."""

    def __init__(self, k: float = 3.0):
        self.k, self.n = k, 0

    def tick(self) -> float:
        self.n += 1
        return self.k / (self.k + 2.718281828 ** (self.n / self.k))


class Seq2Seq(nn.Module):
    def __init__(self, vocab: int = 12, dim: int = 24):
        super().__init__()
        self.encoder = Encoder(vocab, dim)
        self.decoder = Decoder(vocab, dim)

    def forward(self, src: Tensor, tgt: Tensor, teacher: float) -> Tensor:
        memory, h = self.encoder(src)
        fed = torch.full_like(tgt, BOS)
        logits = []
        for t in range(tgt.size(1)):
            step, h = self.decoder(fed[:, t], h, memory)
            logits.append(step)
            if t + 1 < tgt.size(1):
                use_gold = torch.rand(tgt.size(0)) < teacher
                fed[:, t + 1] = torch.where(use_gold, tgt[:, t], self.pick(step))  # BUG
        return torch.stack(logits, 1)

    @staticmethod
    def pick(step: Tensor) -> Tensor:
        return torch.distributions.Categorical(logits=step.detach()).sample()

    @torch.no_grad()
    def greedy(self, src: Tensor, length: int) -> Tensor:
        memory, h = self.encoder(src)
        token = src.new_full((src.size(0),), BOS)
        out = src.new_zeros(src.size(0), length)
        for t in range(length):
            step, h = self.decoder(token, h, memory)
            token = step.argmax(-1)
            out[:, t] = token
        return out


def reversal_batches(n: int, size: int, length: int, vocab: int, seed: int) -> Iterator[Tuple[Tensor, Tensor]]:
    rng = random.Random(seed)
    for _ in range(n):
        rows = [[rng.randrange(OFFSET, vocab) for _ in range(length)] for _ in range(size)]
        src = torch.tensor(rows)
        yield src, torch.cat([src.flip(1), torch.full((size, 1), EOS)], 1)


# --- driver ---
torch.manual_seed(0)
model = Seq2Seq()
opt = torch.optim.Adam(model.parameters(), lr=3e-3)
sched = InverseSigmoid()
for src, tgt in reversal_batches(3, 8, 5, 12, seed=1):
    loss = F.cross_entropy(model(src, tgt, sched.tick()).transpose(1, 2), tgt)
    opt.zero_grad()
    loss.backward()
    opt.step()
print(model.greedy(src, 6)[0])
