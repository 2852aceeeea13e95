"""Link prediction on an event stream with a per-node memory (TGN, immediate raw-message store)."""
from __future__ import annotations
from typing import Iterator, NamedTuple
import torch
from torch import nn, Tensor
import torch.nn.functional as F


class Events(NamedTuple):
    src: Tensor
    dst: Tensor
    t: Tensor
    feat: Tensor

    def batches(self, size: int) -> Iterator["Events"]:
        for i in range(0, len(self.t), size):
            yield Events(*(f[i:i + size] for f in self))


class TimeEncode(nn.Module):
    def __init__(self, d: int):
        super().__init__()
        self.w = nn.Parameter(10.0 ** -torch.linspace(0, 3, d))
        self.b = nn.Parameter(torch.zeros(d))

    def forward(self, dt: Tensor) -> Tensor:
        return torch.cos(dt[..., None] * self.w + self.b)


class NodeMemory(nn.Module):
    def __init__(self, n: int, d: int, d_msg: int):
        super().__init__()
        self.register_buffer("state", torch.zeros(n, d))
        self.register_buffer("last", torch.zeros(n))
        self.register_buffer("inbox", torch.zeros(n, d_msg))
        self.register_buffer("pending", torch.zeros(n, dtype=torch.bool))
        self.cell = nn.GRUCell(d_msg, d)

    def read(self, nodes: Tensor) -> Tensor:
        """Fresh states for `nodes`: the stored state with the waiting message folded in."""
        h = self.state[nodes]
        wait = self.pending[nodes]
        out = h.clone()
        if wait.any():
            out[wait] = self.cell(self.inbox[nodes][wait], h[wait])
        return out

    @torch.no_grad()
    def flush(self, nodes: Tensor) -> None:
        nodes = nodes.unique()
        self.state[nodes] = self.read(nodes)
        self.pending[nodes] = False

    @torch.no_grad()
    def post(self, nodes: Tensor, msg: Tensor, t: Tensor) -> None:
        order = t.argsort(stable=True)
        for i in order.tolist():
            self.inbox[nodes[i]] = msg[i]
            self.last[nodes[i]] = t[i]
        self.pending[nodes] = True

    def reset(self) -> None:
        for buf in (self.state, self.last, self.inbox, self.pending):
            buf.zero_()


class TGN(nn.Module):
    def __init__(self, n: int, d_feat: int, d: int = 12, d_time: int = 6):
        super().__init__()
        self.time = TimeEncode(d_time)
        self.memory = NodeMemory(n, d, 2 * d + d_feat + d_time)
        self.emb = nn.Linear(d + d_time, d)
        self.link = nn.Sequential(nn.Linear(2 * d, d), nn.ReLU(), nn.Linear(d, 1))
        self.n = n

    def embed(self, nodes: Tensor, t: Tensor) -> Tensor:
        z = torch.cat([self.memory.read(nodes), self.time(t - self.memory.last[nodes])], -1)
        return torch.tanh(self.emb(z))

    def loss(self, ev: Events) -> Tensor:
        neg = torch.randint(0, self.n, ev.dst.shape)
        s, d, x = (self.embed(k, ev.t) for k in (ev.src, ev.dst, neg))
        pos, bad = self.link(torch.cat([s, d], -1)), self.link(torch.cat([s, x], -1))
        return F.softplus(-pos).mean() + F.softplus(bad).mean()

    @torch.no_grad()
    def observe(self, ev: Events) -> None:
        both = torch.cat([ev.src, ev.dst])
        self.memory.flush(both)
        hs, hd = self.memory.state[ev.src], self.memory.state[ev.dst]
        te = self.time(ev.t - self.memory.last[ev.src])
        msgs = torch.cat([torch.cat([hs, hd, ev.feat, te], -1), torch.cat([hd, hs, ev.feat, te], -1)])
        self.memory.post(both, msgs, ev.t.repeat(2))


def train_epoch(model: TGN, events: Events, opt, size: int) -> list[float]:
    model.memory.reset()
    out = []
    for ev in events.batches(size):
        loss = model.loss(ev)
        opt.zero_grad()
        loss.backward()
        opt.step()
        model.observe(ev)
        out.append(loss.item())
    return out


# --- driver ---
torch.manual_seed(0)
E, N = 60, 15
stream = Events(torch.randint(0, N, (E,)), torch.randint(0, N, (E,)), torch.rand(E).cumsum(0), torch.randn(E, 3))
tgn = TGN(N, 3)
opt = torch.optim.Adam(tgn.parameters(), 3e-3)
for epoch in range(2):
    print(epoch, train_epoch(tgn, stream, opt, 20))
