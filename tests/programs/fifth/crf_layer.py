"""Linear-chain CRF layer and a BiLSTM tagger."""
from typing import List
import torch
from torch import nn, Tensor


class CRF(nn.Module):
    def __init__(self, num_tags: int):
        super().__init__()
        self.num_tags = num_tags
        self.start = nn.Parameter(torch.empty(num_tags))
        self.end = nn.Parameter(torch.empty(num_tags))
        self.trans = nn.Parameter(torch.empty(num_tags, num_tags))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        for p in (self.start, self.end, self.trans):
            nn.init.uniform_(p, -0.1, 0.1)

    def forward(self, emissions: Tensor, tags: Tensor, mask: Tensor) -> Tensor:
        num = self._score(emissions, tags, mask)
        den = self._partition(emissions, mask)
        return (den - num).mean()

    def _score(self, em: Tensor, tags: Tensor, mask: Tensor) -> Tensor:
        T, B, _ = em.shape
        rows = torch.arange(B)
        score = self.start[tags[0]] + em[0, rows, tags[0]]
        for t in range(1, T):
            step = self.trans[tags[t - 1], tags[t]] + em[t, rows, tags[t]]
            score += step * mask[t].float()
        last = mask.long().sum(0) - 1
        score += self.end[tags[last, rows]]
        return score

    def _partition(self, em: Tensor, mask: Tensor) -> Tensor:
        alpha = self.start + em[0]
        for t in range(1, em.size(0)):
            inner = alpha.unsqueeze(2) + self.trans + em[t].unsqueeze(1)
            nxt = torch.logsumexp(inner, dim=1)
            keep = ~mask[t]
            nxt[keep] = alpha[keep]  # BUG
            alpha = nxt
        return torch.logsumexp(alpha + self.end, dim=1)

    @torch.no_grad()
    def decode(self, em: Tensor) -> List[List[int]]:
        T, B, K = em.shape
        score = self.start + em[0]
        back = torch.zeros(T, B, K, dtype=torch.long)
        for t in range(1, T):
            best, back[t] = (score.unsqueeze(2) + self.trans).max(1)
            score = best.add_(em[t])
        cur = (score + self.end).argmax(1)
        path = [cur]
        for t in range(T - 1, 0, -1):
            cur = back[t].gather(1, cur[:, None]).squeeze(1)
            path.append(cur)
        return torch.stack(path[::-1], 1).tolist()


class Tagger(nn.Module):
    def __init__(self, vocab: int, tags: int, dim: int = 8):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim)
        self.rnn = nn.LSTM(dim, dim, bidirectional=True)
        self.fc = nn.Linear(2 * dim, tags)
        self.crf = CRF(tags)

    def loss(self, words, tags, mask):
        h, _ = self.rnn(self.emb(words))
        return self.crf(self.fc(h), tags, mask)


def fit_epoch(model, batches, lr=0.05):
    opt = torch.optim.SGD(model.parameters(), lr=lr)
    total = 0.0
    for words, tags, mask in batches:
        opt.zero_grad()
        loss = model.loss(words, tags, mask)
        loss.backward()
        opt.step()
        total += loss.item()
    return total


# --- driver ---
torch.manual_seed(0)
mask = torch.ones(5, 3, dtype=torch.bool)
mask[3:, 1] = False
batch = (torch.randint(0, 20, (5, 3)), torch.randint(0, 4, (5, 3)), mask)
fit_epoch(Tagger(20, 4), [batch])
