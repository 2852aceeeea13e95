"""Truncated back-propagation over parallel event streams: states carried over, rows reset when a stream restarts."""
from dataclasses import dataclass, replace
from typing import Iterator, List

import torch
from torch import Tensor, nn
import torch.nn.functional as F


@dataclass
class Carry:
    h: Tensor
    c: Tensor

    @classmethod
    def zeros(cls, lanes: int, dim: int) -> "Carry":
        return cls(torch.zeros(lanes, dim), torch.zeros(lanes, dim))

    def cut(self) -> "Carry":
        return replace(self, h=self.h.detach().clone(), c=self.c.detach().clone())

    def restart(self, rows: Tensor) -> None:
        self.h[rows] = 0.0
        self.c[rows] = 0.0


@dataclass
class Segment:
    kinds: Tensor
    gaps: Tensor
    fresh: Tensor


class EventLanes:
    """Packs event sequences of unequal length in lanes, segment after segment."""

    def __init__(self, sequences: List[Tensor], lanes: int, length: int):
        self.queue = list(sequences)
        self.lanes, self.length = lanes, length
        self.left = [self.queue.pop() for _ in range(lanes)]

    def __iter__(self) -> Iterator[Segment]:
        fresh = torch.ones(self.lanes, dtype=torch.bool)
        while True:
            rows = []
            for i in range(self.lanes):
                if len(self.left[i]) <= self.length:
                    if not self.queue:
                        return
                    self.left[i] = self.queue.pop()
                    fresh[i] = True
                rows.append(self.left[i][: self.length + 1])
                self.left[i] = self.left[i][self.length:]
            block = torch.stack(rows)
            yield Segment(block[..., 0].long(), block[..., 1], fresh.clone())
            fresh.zero_()


class DecayLSTM(nn.Module):
    """LSTM whose cell fades with the time between events."""

    def __init__(self, kinds: int, dim: int):
        super().__init__()
        self.emb = nn.Embedding(kinds, dim)
        self.gates = nn.Linear(2 * dim, 4 * dim)
        self.rate = nn.Parameter(torch.zeros(dim))
        self.next_kind = nn.Linear(dim, kinds)
        self.next_gap = nn.Linear(dim, 1)
        self.norm = nn.LayerNorm(dim)

    def cell(self, x: Tensor, gap: Tensor, s: Carry) -> Carry:
        fade = torch.exp(-F.softplus(self.rate) * gap[:, None])
        z = self.gates(torch.cat([x, s.h], -1))
        i, f, o, g = z.chunk(4, -1)
        c = torch.sigmoid(f) * fade * s.c
        c += torch.sigmoid(i) * torch.tanh(g)
        return Carry(torch.sigmoid(o) * torch.tanh(self.norm(c)), c)

    def forward(self, seg: Segment, s: Carry):
        n = seg.kinds.shape[1] - 1
        outs = seg.gaps.new_empty(len(seg.kinds), n, self.rate.numel())
        x = self.emb(seg.kinds[:, :-1])
        for t in range(n):
            s = self.cell(x[:, t], seg.gaps[:, t], s)
            outs[:, t] = s.h
        return outs, s

    def loss(self, outs: Tensor, seg: Segment) -> Tensor:
        kind = F.cross_entropy(self.next_kind(outs).transpose(1, 2), seg.kinds[:, 1:])
        rate = F.softplus(self.next_gap(outs)).squeeze(-1).add_(1e-4)
        return kind + (rate * seg.gaps[:, 1:] - rate.log()).mean()


def train(model: DecayLSTM, lanes: EventLanes, dim: int, lr: float = 5e-3) -> List[float]:
    opt = torch.optim.Adam(model.parameters(), lr=lr)
    state, log = Carry.zeros(lanes.lanes, dim), []
    for seg in lanes:
        state = state.cut()
        state.restart(seg.fresh)
        outs, state = model(seg, state)
        loss = model.loss(outs, seg)
        opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        opt.step()
        log.append(loss.item())
    return log


def purchases(n: int, kinds: int) -> List[Tensor]:
    out = []
    for _ in range(n):
        length = int(torch.randint(12, 30, ()))
        kind = (torch.randint(0, kinds, ()) + torch.arange(length)) % kinds
        gap = -torch.rand(length).log_() * (1 + kind)
        out.append(torch.stack([kind.float(), gap], 1))
    return out


# --- driver ---
torch.manual_seed(0)
model = DecayLSTM(5, 16)
print(train(model, EventLanes(purchases(12, 5), lanes=4, length=6), 16))
