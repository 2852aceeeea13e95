"""Neural Turing machine style external memory on the copy task."""
from typing import NamedTuple

import torch
import torch.nn as nn
import torch.nn.functional as F


class HeadParams(NamedTuple):
    key: torch.Tensor
    beta: torch.Tensor
    erase: torch.Tensor
    add: torch.Tensor


class Memory(nn.Module):
    def __init__(self, slots, width):
        super().__init__()
        self.slots, self.width = slots, width
        self.init = nn.Parameter(torch.randn(slots, width) * 0.1)
        self.cells = None

    def reset(self, bsz):
        self.cells = self.init.unsqueeze(0).repeat(bsz, 1, 1)

    def address(self, key, beta):
        sim = F.cosine_similarity(self.cells, key.unsqueeze(1), dim=-1)
        return F.softmax(beta * sim, dim=-1)

    def read(self, w):
        return torch.bmm(w.unsqueeze(1), self.cells).squeeze(1)

    def write(self, w, erase, add):
        update = w.unsqueeze(-1) * (add.unsqueeze(1) - self.cells * erase.unsqueeze(1))
        self.cells += update  # BUG


class Head(nn.Module):
    def __init__(self, hidden, width):
        super().__init__()
        self.width = width
        self.fc = nn.Linear(hidden, 3 * width + 1)

    def forward(self, h):
        k, e, a, b = self.fc(h).split([self.width, self.width, self.width, 1], dim=-1)
        return HeadParams(torch.tanh(k), 1 + F.softplus(b), torch.sigmoid(e), torch.tanh(a))


class NTM(nn.Module):
    def __init__(self, n_in, hidden=24, slots=8, width=6):
        super().__init__()
        self.memory = Memory(slots, width)
        self.controller = nn.LSTMCell(n_in + width, hidden)
        self.read_head, self.write_head = Head(hidden, width), Head(hidden, width)
        self.out = nn.Linear(hidden + width, n_in)
        self.hidden = hidden

    def forward(self, seq, out_len):
        bsz = seq.size(0)
        self.memory.reset(bsz)
        h = seq.new_zeros(bsz, self.hidden)
        c = seq.new_zeros(bsz, self.hidden)
        r = seq.new_zeros(bsz, self.memory.width)
        blank = torch.zeros_like(seq[:, 0])
        outs = []
        for t in range(seq.size(1) + out_len):
            x = seq[:, t] if t < seq.size(1) else blank
            h, c = self.controller(torch.cat([x, r], dim=-1), (h, c))
            wp = self.write_head(h)
            self.memory.write(self.memory.address(wp.key, wp.beta), wp.erase, wp.add)
            rp = self.read_head(h)
            r = self.memory.read(self.memory.address(rp.key, rp.beta))
            if t >= seq.size(1):
                outs.append(self.out(torch.cat([h, r], dim=-1)))
        return torch.stack(outs, dim=1)


def train_step(model, opt, bits, length, bsz=4):
    seq = torch.bernoulli(torch.full((bsz, length, bits), 0.5))
    loss = F.binary_cross_entropy_with_logits(model(seq, length), seq)
    opt.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 10.0)
    opt.step()
    return loss.item()


# --- driver ---
torch.manual_seed(0)
ntm = NTM(5)
train_step(ntm, torch.optim.RMSprop(ntm.parameters(), lr=1e-3), bits=5, length=4)
