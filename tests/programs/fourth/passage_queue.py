"""Dense passage retrieval with a queue of past passages as negatives."""
import copy
from typing import Iterator, Tuple

import torch
import torch.nn as nn
import torch.nn.functional as F

Batch = Tuple[torch.Tensor, torch.Tensor]


class TextEncoder(nn.Module):
    def __init__(self, vocab: int, dim: int):
        super().__init__()
        self.emb = nn.EmbeddingBag(vocab, dim, mode="mean")
        self.proj = nn.Sequential(nn.Linear(dim, dim), nn.GELU(), nn.Linear(dim, dim))

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        return F.normalize(self.proj(self.emb(ids)), dim=-1)


class PassageQueue:
    def __init__(self, dim: int, size: int):
        self.store = F.normalize(torch.randn(size, dim), dim=1)
        self.cursor = 0
        self.filled = 0

    def push(self, vectors: torch.Tensor) -> None:
        n = len(vectors)
        idx = torch.arange(self.cursor, self.cursor + n) % len(self.store)
        self.store.index_copy_(0, idx, vectors)  # BUG
        self.cursor = int((self.cursor + n) % len(self.store))
        self.filled = min(self.filled + n, len(self.store))


class Retriever(nn.Module):
    def __init__(self, vocab=40, dim=8, queue=12, momentum=0.99, tau=0.07):
        super().__init__()
        self.query = TextEncoder(vocab, dim)
        self.passage = copy.deepcopy(self.query).requires_grad_(False)
        self.queue = PassageQueue(dim, queue)
        self.momentum, self.tau = momentum, tau

    @torch.no_grad()
    def _track(self):
        for q, k in zip(self.query.parameters(), self.passage.parameters()):
            k.lerp_(q, 1 - self.momentum)

    def contrast(self, q, k):
        pos = (q * k).sum(-1, keepdim=True)
        neg = q @ self.queue.store.t()
        logits = torch.cat([pos, neg], 1)
        logits /= self.tau
        return F.cross_entropy(logits, torch.zeros(len(q), dtype=torch.long))

    def forward(self, question, passage):
        q = self.query(question)
        with torch.no_grad():
            self._track()
            k = self.passage(passage)
        loss = self.contrast(q, k)
        self.queue.push(k)
        return loss


def noise_tokens(ids: torch.Tensor, p: float = 0.1) -> torch.Tensor:
    out = ids.clone()
    out[torch.rand(ids.shape) < p] = 0
    return out


def stream(n: int, vocab=40, batch=4, length=6) -> Iterator[Batch]:
    for _ in range(n):
        passage = torch.randint(1, vocab, (batch, length))
        yield noise_tokens(passage[:, :4]), passage


@torch.no_grad()
def mrr(model: Retriever, question, passage) -> float:
    sims = model.query(question) @ model.passage(passage).t()
    rank = sims.argsort(1, descending=True).argsort(1).diagonal() + 1
    return rank.float().reciprocal_().mean().item()


def train(model, batches, lr=1e-3):
    opt = torch.optim.Adam(model.query.parameters(), lr)
    for question, passage in batches:
        loss = model(question, passage)
        opt.zero_grad()
        loss.backward()
        opt.step()
    return mrr(model, question, passage)


# --- driver ---
torch.manual_seed(0)
train(Retriever(), stream(2))
