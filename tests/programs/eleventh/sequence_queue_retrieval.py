"""Sequential recommender with a queue of past item embeddings as extra negatives (cross-batch memory)."""
from __future__ import annotations

import torch
from torch import Tensor, nn
import torch.nn.functional as F


class CrossBatchMemory(nn.Module):
    """First-in first-out store of embeddings, item ids and the step at which they came."""

    def __init__(self, size: int, dim: int, max_age: int):
        super().__init__()
        self.register_buffer("vecs", torch.zeros(size, dim))
        self.register_buffer("ids", torch.full((size,), -1))
        self.register_buffer("born", torch.full((size,), -10 ** 6))
        self.head, self.now, self.max_age = 0, 0, max_age

    def negatives(self) -> tuple[Tensor, Tensor]:
        live = self.now - self.born <= self.max_age
        return self.vecs[live], self.ids[live]

    @torch.no_grad()
    def push(self, vecs: Tensor, ids: Tensor) -> None:
        slots = (self.head + torch.arange(len(ids))) % len(self.ids)
        self.vecs[slots] = vecs
        self.ids[slots] = ids
        self.born[slots] = self.now
        self.head = int(slots[-1]) + 1
        self.now += 1


class Frequency(nn.Module):
    """Streaming estimate of the sampling rate of each item, for the log-Q correction."""

    def __init__(self, items: int, rate: float = 0.1):
        super().__init__()
        self.register_buffer("gap", torch.full((items,), 20.0))
        self.register_buffer("last", torch.zeros(items))
        self.rate, self.step = rate, 0

    @torch.no_grad()
    def update(self, ids: Tensor) -> None:
        self.step += 1
        seen = ids.unique()
        self.gap[seen] += self.rate * ((self.step - self.last[seen]) - self.gap[seen])
        self.last[seen] = self.step

    def log_q(self, ids: Tensor) -> Tensor:
        return -self.gap[ids].clamp_min(1.0).log()


class SeqEncoder(nn.Module):
    def __init__(self, items: int, dim: int, length: int):
        super().__init__()
        self.item = nn.Embedding(items, dim)
        self.pos = nn.Parameter(torch.zeros(length, dim))
        layer = nn.TransformerEncoderLayer(dim, 2, 2 * dim, dropout=0.0, batch_first=True)
        self.body = nn.TransformerEncoder(layer, 1)
        self.length = length

    def forward(self, seq: Tensor) -> Tensor:
        x = self.item(seq)
        x *= self.item.embedding_dim ** 0.5
        x += self.pos
        mask = nn.Transformer.generate_square_subsequent_mask(self.length)
        return F.normalize(self.body(x, mask=mask, is_causal=True)[:, -1], dim=-1)


class Model(nn.Module):
    def __init__(self, items=40, dim=16, length=6, queue=32):
        super().__init__()
        self.seq = SeqEncoder(items, dim, length)
        self.memory = CrossBatchMemory(queue, dim, max_age=3)
        self.freq = Frequency(items)
        self.log_t = nn.Parameter(torch.tensor(-1.5))

    def loss(self, seq: Tensor, target: Tensor) -> tuple[Tensor, Tensor]:
        user = self.seq(seq)
        item = F.normalize(self.seq.item(target), dim=-1)
        vecs, ids = self.memory.negatives()
        all_ids = torch.cat([target, ids])
        logits = user @ torch.cat([item, vecs]).T
        logits.mul_((-self.log_t).exp()).sub_(self.freq.log_q(all_ids))
        twin = target[:, None] == all_ids[None]
        twin[torch.arange(len(target)), torch.arange(len(target))] = False
        logits.masked_fill_(twin, float("-inf"))
        return F.cross_entropy(logits, torch.arange(len(target))), item

    def after_step(self, item: Tensor, target: Tensor) -> None:
        self.memory.push(item, target)
        self.freq.update(target)
        with torch.no_grad():
            self.log_t.clamp_(-4.0, 0.0)


def walks(n: int, length: int, items: int):
    start = torch.randint(0, items, (n, 1))
    hops = torch.randint(1, 3, (n, length)).cumsum(1)
    path = torch.cat([start, start + hops], 1) % items
    return path[:, :-1], path[:, -1]


# --- driver ---
torch.manual_seed(0)
model = Model()
opt = torch.optim.Adam(model.parameters(), lr=3e-3)
for _ in range(5):
    seq, target = walks(10, 6, 40)
    loss, item = model.loss(seq, target)
    opt.zero_grad()
    loss.backward()
    opt.step()
    model.after_step(item, target)
    print(loss.item())
