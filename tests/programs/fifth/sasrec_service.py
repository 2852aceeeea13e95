"""Sequential recommender training job with tied item embeddings."""
import logging
from typing import Iterator, Tuple
import torch
import torch.nn as nn
import torch.nn.functional as F

log = logging.getLogger('sasrec')


class SessionDataset:
    def __init__(self, n_items: int, n_sessions: int, max_len: int, seed: int = 0):
        self.g = torch.Generator().manual_seed(seed)
        self.n_items, self.max_len = n_items, max_len
        self.rows = torch.zeros(n_sessions, max_len + 1, dtype=torch.long)
        for i in range(n_sessions):
            n = int(torch.randint(3, max_len + 2, (1,), generator=self.g))
            self.rows[i, -n:] = torch.randint(1, n_items, (n,), generator=self.g)

    def batches(self, size: int) -> Iterator[Tuple[torch.Tensor, torch.Tensor]]:
        for rows in self.rows[torch.randperm(len(self.rows), generator=self.g)].split(size):
            yield rows[:, :-1], rows[:, 1:]


class SASRec(nn.Module):
    def __init__(self, n_items: int, dim: int = 8, max_len: int = 6):
        super().__init__()
        self.items = nn.Embedding(n_items, dim)
        self.pos = nn.Embedding(max_len, dim)
        self.attn = nn.MultiheadAttention(dim, 2, batch_first=True)
        self.ff = nn.Sequential(nn.Linear(dim, dim), nn.ReLU(inplace=True), nn.Linear(dim, dim))
        self.n1, self.n2 = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.clear_padding()

    @torch.no_grad()
    def clear_padding(self) -> None:
        self.items.weight[0].zero_()  # BUG

    def encode(self, seq):
        x = self.items(seq)
        x *= self.items.embedding_dim ** 0.5
        x += self.pos.weight[: seq.size(1)]
        causal = torch.triu(torch.ones(seq.size(1), seq.size(1), dtype=torch.bool), 1)
        q = self.n1(x)
        x = x + self.attn(q, q, q, attn_mask=causal, need_weights=False)[0]
        return x + self.ff(self.n2(x))

    def forward(self, seq):
        return self.encode(seq) @ self.items.weight.t()


class Job:
    def __init__(self, model: SASRec, data: SessionDataset, lr: float = 1e-3, batch: int = 4):
        self.model, self.data, self.batch = model, data, batch
        self.opt = torch.optim.Adam(model.parameters(), lr=lr)
        self.seen = torch.zeros(model.items.num_embeddings, dtype=torch.long)

    def _loss(self, seq, nxt):
        scores = self.model(seq)
        self.model.clear_padding()
        self.seen += torch.bincount(nxt.flatten(), minlength=len(self.seen))
        return F.cross_entropy(scores.flatten(0, 1), nxt.flatten(), ignore_index=0)

    def run_epoch(self) -> float:
        total, n = 0.0, 0
        for seq, nxt in self.data.batches(self.batch):
            loss = self._loss(seq, nxt)
            self.opt.zero_grad()
            loss.backward()
            self.opt.step()
            total, n = total + loss.item(), n + 1
        log.info('epoch loss %.4f', total / n)
        return total / n


# --- driver ---
torch.manual_seed(0)
Job(SASRec(20), SessionDataset(20, 4, 6)).run_epoch()
