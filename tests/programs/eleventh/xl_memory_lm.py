"""Segment-recurrent character model: every layer attends over the hidden states of earlier segments."""
import torch
import torch.nn as nn
import torch.nn.functional as F

TEXT = ("the quick brown fox jumps over the lazy dog while seven wizards mix boxes of liquor jugs " * 12)


class CharStream:
    def __init__(self, text, lanes, length):
        self.alphabet = sorted(set(text))
        ids = torch.tensor([self.alphabet.index(c) for c in text])
        per = len(ids) // lanes
        self.lanes = ids[: per * lanes].view(lanes, per)
        self.length = length

    def __iter__(self):
        for s in range(0, self.lanes.shape[1] - self.length - 1, self.length):
            yield self.lanes[:, s:s + self.length], self.lanes[:, s + 1:s + self.length + 1]


class SegmentMemory(nn.Module):
    """Rolling window of the states that entered a layer."""

    def __init__(self, lanes, size, dim):
        super().__init__()
        self.register_buffer("slots", torch.zeros(lanes, size, dim))

    def read(self):
        return self.slots

    def push(self, states):
        size = self.slots.shape[1]
        joined = torch.cat([self.slots, states.detach()], dim=1)
        self.slots.copy_(joined[:, -size:])  # BUG


class RelAttention(nn.Module):
    def __init__(self, dim, heads, reach):
        super().__init__()
        self.h = heads
        self.q = nn.Linear(dim, dim)
        self.k_now, self.v_now = nn.Linear(dim, dim), nn.Linear(dim, dim)
        self.k_mem, self.v_mem = nn.Linear(dim, dim), nn.Linear(dim, dim)
        self.o = nn.Linear(dim, dim)
        self.bias = nn.Parameter(torch.zeros(heads, reach))

    def heads(self, x):
        return x.unflatten(-1, (self.h, -1)).transpose(1, 2)

    def forward(self, x, mem):
        n, m = x.shape[1], mem.shape[1]
        q = self.heads(self.q(x))
        k = self.heads(torch.cat([self.k_mem(mem), self.k_now(x)], 1))
        v = self.heads(torch.cat([self.v_mem(mem), self.v_now(x)], 1))
        dist = (torch.arange(n)[:, None] + m) - torch.arange(n + m)[None]
        bias = self.bias[:, dist.clamp(0, self.bias.shape[1] - 1)].masked_fill(dist < 0, float("-inf"))
        w = (q @ k.transpose(-1, -2) / q.shape[-1] ** 0.5 + bias).softmax(-1)
        return self.o((w @ v).transpose(1, 2).flatten(2))


class XLBlock(nn.Module):
    def __init__(self, lanes, dim, heads, mem, length):
        super().__init__()
        self.memory = SegmentMemory(lanes, mem, dim)
        self.att = RelAttention(dim, heads, mem + length)
        self.n1, self.n2 = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.ff = nn.Sequential(nn.Linear(dim, 2 * dim), nn.ReLU(), nn.Linear(2 * dim, dim))

    def forward(self, x):
        past = self.memory.read()
        h = self.n1(x + self.att(x, past))
        self.memory.push(x)
        return self.n2(h + self.ff(h))


class XLModel(nn.Module):
    def __init__(self, vocab, lanes, dim=24, heads=3, depth=2, mem=12, length=10):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim)
        self.blocks = nn.Sequential(*[XLBlock(lanes, dim, heads, mem, length) for _ in range(depth)])
        self.out = nn.Linear(dim, vocab)

    def forward(self, ids):
        return self.out(self.blocks(self.emb(ids)))


# --- driver ---
torch.manual_seed(0)
stream = CharStream(TEXT, lanes=4, length=10)
model = XLModel(len(stream.alphabet), lanes=4)
opt = torch.optim.Adam(model.parameters(), lr=2e-3)
for step, (x, y) in zip(range(4), stream):
    loss = F.cross_entropy(model(x).flatten(0, 1), y.flatten())
    opt.zero_grad()
    loss.backward()
    opt.step()
