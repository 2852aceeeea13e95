"""Memory augmented sequence model for copy tasks."""
import torch
import torch.nn as nn
import torch.nn.functional as F
from collections import namedtuple

ReadOut = namedtuple("ReadOut", "vector weights")


class SlotMemory:
    def __init__(self, batch, slots, width):
        self.cells = torch.full((batch, slots, width), 1e-3)
        self.age = torch.zeros(batch, slots)
        self.rows = torch.arange(batch)

    def read(self, key, strength):
        sim = F.cosine_similarity(self.cells, key.unsqueeze(1), dim=-1)
        w = (strength * sim).softmax(-1)
        return ReadOut(torch.bmm(w.unsqueeze(1), self.cells).squeeze(1), w)

    def write_oldest(self, value):
        slot = self.age.argmax(-1)
        self.age += 1
        self.age[self.rows, slot] = 0
        self.cells.index_put_((self.rows, slot), value)  # BUG


class Controller(nn.Module):
    def __init__(self, inp, hidden, width):
        super().__init__()
        self.cell = nn.LSTMCell(inp + width, hidden)
        self.key = nn.Linear(hidden, width)
        self.value = nn.Linear(hidden, width)
        self.beta = nn.Linear(hidden, 1)

    def init_state(self, batch):
        z = torch.zeros(batch, self.cell.hidden_size)
        return z, z.clone()

    def forward(self, x, read, state):
        h, c = self.cell(torch.cat([x, read], -1), state)
        return self.key(h), F.softplus(self.beta(h)), torch.tanh(self.value(h)), (h, c)


class CopyModel(nn.Module):
    def __init__(self, bits=4, hidden=12, slots=6, width=5):
        super().__init__()
        self.bits, self.slots, self.width = bits, slots, width
        self.ctrl = Controller(bits + 1, hidden, width)
        self.out = nn.Linear(hidden + width, bits)

    def forward(self, seq):
        steps, batch = seq.shape[:2]
        memory = SlotMemory(batch, self.slots, self.width)
        state = self.ctrl.init_state(batch)
        read = torch.zeros(batch, self.width)
        outs = []
        for x in seq:
            key, beta, value, state = self.ctrl(x, read, state)
            read, _ = memory.read(key, beta)
            memory.write_oldest(value)
            outs.append(self.out(torch.cat([state[0], read], -1)))
        return torch.stack(outs)


def copy_batch(batch, length, bits):
    seq = torch.randint(0, 2, (length, batch, bits)).float()
    inp = torch.zeros(2 * length, batch, bits + 1)
    inp[:length, :, :bits] = seq
    inp[length, :, bits] = 1
    return inp, seq


def train_step(model, opt, batch=3, length=3):
    inp, seq = copy_batch(batch, length, model.bits)
    loss = F.binary_cross_entropy_with_logits(model(inp)[length:], seq)
    opt.zero_grad()
    loss.backward()
    nn.utils.clip_grad_value_(model.parameters(), 10)
    opt.step()


# --- driver ---
torch.manual_seed(25)
model = CopyModel()
train_step(model, torch.optim.RMSprop(model.parameters(), 1e-3))
