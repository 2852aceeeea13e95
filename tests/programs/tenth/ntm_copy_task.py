"""Memory-augmented network on the copy task: content addressing, erase/add writes."""
from typing import NamedTuple

import torch
import torch.nn as nn
import torch.nn.functional as F


class HeadOutput(NamedTuple):
    key: torch.Tensor
    beta: torch.Tensor
    erase: torch.Tensor
    add: torch.Tensor


class ExternalMemory:
    """One episode's memory matrix (batch, slots, width)."""

    def __init__(self, init):
        self.cells = init

    def address(self, key, beta):
        sim = F.cosine_similarity(key.unsqueeze(1), self.cells, dim=-1)
        return torch.softmax(beta * sim, dim=-1)

    def read(self, weight):
        return torch.bmm(weight.unsqueeze(1), self.cells).squeeze(1)

    def write(self, weight, erase, add):
        w = weight.unsqueeze(-1)
        delta = w * (add.unsqueeze(1) - erase.unsqueeze(1))
        self.cells += delta  # BUG


class Head(nn.Module):
    def __init__(self, hidden, width):
        super().__init__()
        self.width = width
        self.fc = nn.Linear(hidden, 3 * width + 1)

    def forward(self, h):
        key, beta, erase, add = self.fc(h).split([self.width, 1, self.width, self.width], dim=-1)
        return HeadOutput(torch.tanh(key), F.softplus(beta) + 1, torch.sigmoid(erase), torch.tanh(add))


class NTM(nn.Module):
    def __init__(self, bits, hidden=32, slots=8, width=6):
        super().__init__()
        self.controller = nn.LSTMCell(bits + 1 + width, hidden)
        self.reader, self.writer = Head(hidden, width), Head(hidden, width)
        self.out = nn.Linear(hidden + width, bits)
        self.init_cells = nn.Parameter(torch.randn(slots, width) * 0.1)
        self.width = width

    def fresh_memory(self, batch):
        return ExternalMemory(self.init_cells.unsqueeze(0).repeat(batch, 1, 1))

    def step(self, x, read, state, memory):
        h, c = self.controller(torch.cat([x, read], -1), state)
        w = self.writer(h)
        memory.write(memory.address(w.key, w.beta), w.erase, w.add)
        r = self.reader(h)
        read = memory.read(memory.address(r.key, r.beta))
        return self.out(torch.cat([h, read], -1)), read, (h, c)

    def forward(self, seq, answer_len):
        batch = seq.shape[1]
        memory, state, read = self.fresh_memory(batch), None, seq.new_zeros(batch, self.width)
        for x in seq:
            _, read, state = self.step(x, read, state, memory)
        blank = torch.zeros_like(seq[0])
        logits = []
        for _ in range(answer_len):
            y, read, state = self.step(blank, read, state, memory)
            logits.append(y)
        return torch.stack(logits)


def copy_batch(length, batch, bits):
    pattern = torch.randint(0, 2, (length, batch, bits)).float()
    seq = torch.zeros(length + 1, batch, bits + 1)
    seq[:length, :, :bits] = pattern
    seq[length, :, bits] = 1.0
    return seq, pattern


# --- driver ---
torch.manual_seed(4)
net = NTM(bits=4)
opt = torch.optim.RMSprop(net.parameters(), lr=1e-3)
for _ in range(2):
    seq, target = copy_batch(3, 5, 4)
    loss = F.binary_cross_entropy_with_logits(net(seq, 3), target)
    opt.zero_grad()
    loss.backward()
    nn.utils.clip_grad_value_(net.parameters(), 10)
    opt.step()
