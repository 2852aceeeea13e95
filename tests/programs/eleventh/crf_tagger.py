"""Linear-chain CRF over a small BiLSTM: partition function with ragged lengths, Viterbi decoding."""
from typing import List

import torch
from torch import nn


class LinearChainCRF(nn.Module):
    def __init__(self, tags: int, forbidden=()):
        super().__init__()
        self.trans = nn.Parameter(torch.randn(tags, tags) * 0.1)
        self.begin = nn.Parameter(torch.zeros(tags))
        self.end = nn.Parameter(torch.zeros(tags))
        banned = torch.zeros(tags, tags, dtype=torch.bool)
        for a, b in forbidden:
            banned[a, b] = True
        self.register_buffer("banned", banned)

    def transitions(self):
        return self.trans.masked_fill(self.banned, -1e4)

    def log_partition(self, emit, mask):
        trans = self.transitions()
        table = emit.new_empty(emit.shape[1], emit.shape[0], emit.shape[2])
        table[0] = self.begin + emit[:, 0]
        for t in range(1, emit.shape[1]):
            grown = torch.logsumexp(table[t - 1].unsqueeze(2) + trans, dim=1) + emit[:, t]
            table[t] = torch.where(mask[:, t, None], grown, table[t - 1])
        return torch.logsumexp(table[-1] + self.end, dim=-1)

    def score(self, emit, tags, mask):
        trans = self.transitions()
        total = self.begin[tags[:, 0]] + emit[:, 0].gather(1, tags[:, :1]).squeeze(1)
        steps = trans[tags[:, :-1], tags[:, 1:]]
        steps += emit[:, 1:].gather(2, tags[:, 1:, None]).squeeze(2)
        steps.masked_fill_(~mask[:, 1:], 0.0)
        total += steps.sum(1)
        last = tags.gather(1, mask.sum(1, keepdim=True) - 1).squeeze(1)
        return total + self.end[last]

    def forward(self, emit, tags, mask):
        return (self.log_partition(emit, mask) - self.score(emit, tags, mask)).mean()

    @torch.no_grad()
    def viterbi(self, emit, mask) -> List[List[int]]:
        trans = self.transitions()
        best, paths = self.begin + emit[:, 0], []
        for t in range(1, emit.shape[1]):
            top, arg = (best.unsqueeze(2) + trans).max(1)
            live = mask[:, t, None]
            best = torch.where(live, top + emit[:, t], best)
            paths.append(torch.where(live, arg, torch.arange(emit.shape[2])))
        out = []
        for b, tag in enumerate((best + self.end).argmax(-1).tolist()):
            seq = [tag]
            for back in reversed(paths):
                tag = int(back[b, tag])
                seq.append(tag)
            out.append(seq[::-1][: int(mask[b].sum())])
        return out


class Tagger(nn.Module):
    def __init__(self, vocab, tags, dim=20):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim, padding_idx=0)
        self.rnn = nn.LSTM(dim, dim // 2, bidirectional=True, batch_first=True)
        self.emit = nn.Linear(dim, tags)
        self.crf = LinearChainCRF(tags, forbidden=[(0, 2), (1, 1)])

    def emissions(self, ids):
        return self.emit(self.rnn(self.emb(ids))[0])

    def loss(self, ids, tags):
        return self.crf(self.emissions(ids), tags, ids != 0)

    def decode(self, ids):
        return self.crf.viterbi(self.emissions(ids), ids != 0)


def ragged_batch(n, length, vocab):
    ids = torch.randint(1, vocab, (n, length))
    keep = torch.randint(2, length + 1, (n,))
    ids[torch.arange(length) >= keep[:, None]] = 0
    return ids, torch.where(ids % 3 == 1, torch.ones_like(ids), torch.zeros_like(ids))


# --- driver ---
torch.manual_seed(0)
model = Tagger(30, 3)
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
for _ in range(4):
    ids, tags = ragged_batch(5, 9, 30)
    opt.zero_grad()
    model.loss(ids, tags).backward()
    opt.step()
print(model.decode(ids))
