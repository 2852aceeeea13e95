"""Neural Turing Machine on the copy task."""
import torch
import torch.nn as nn
import torch.nn.functional as F


class Memory:
    """Batched memory matrix with content addressing."""

    def __init__(self, init, batch):
        self.cells = init.unsqueeze(0).repeat(batch, 1, 1)

    def address(self, key, beta):
        sim = F.cosine_similarity(self.cells + 1e-8, key.unsqueeze(1) + 1e-8, dim=-1)
        return F.softmax(beta * sim, dim=1)

    def read(self, w):
        return torch.bmm(w.unsqueeze(1), self.cells).squeeze(1)

    def write(self, w, erase, add):
        keep = 1 - w.unsqueeze(2) * erase.unsqueeze(1)
        self.cells.mul_(keep).add_(w.unsqueeze(2) * add.unsqueeze(1))  # BUG


class Head(nn.Module):
    def __init__(self, hidden, width, write=False):
        super().__init__()
        self.width, self.is_write = width, write
        self.fc = nn.Linear(hidden, width * (3 if write else 1) + 1)

    def forward(self, h, memory):
        o = self.fc(h)
        key, beta = torch.tanh(o[:, :self.width]), F.softplus(o[:, self.width:self.width + 1])
        w = memory.address(key, beta)
        if self.is_write:
            rest = o[:, self.width + 1:]
            memory.write(w, torch.sigmoid(rest[:, :self.width]), torch.tanh(rest[:, self.width:]))
            return None
        return memory.read(w)


class NTM(nn.Module):
    def __init__(self, d_in, d_out, hidden=24, slots=10, width=8):
        super().__init__()
        self.controller = nn.LSTMCell(d_in + width, hidden)
        self.read_head, self.write_head = Head(hidden, width), Head(hidden, width, write=True)
        self.out = nn.Linear(hidden + width, d_out)
        self.register_buffer('mem_init', torch.empty(slots, width).uniform_(-0.1, 0.1))
        self.hidden, self.width = hidden, width

    def start(self, batch):
        zeros = lambda n: torch.zeros(batch, n)
        return Memory(self.mem_init, batch), zeros(self.width), (zeros(self.hidden), zeros(self.hidden))

    def step(self, x, state):
        memory, r, hc = state
        h, c = self.controller(torch.cat([x, r], 1), hc)
        self.write_head(h, memory)
        r = self.read_head(h, memory)
        return self.out(torch.cat([h, r], 1)), (memory, r, (h, c))

    def forward(self, seq, n_out):
        state = self.start(seq.size(1))
        for x in seq:
            _, state = self.step(x, state)
        outs = []
        blank = torch.zeros_like(seq[0])
        for _ in range(n_out):
            y, state = self.step(blank, state)
            outs.append(y)
        return torch.stack(outs)


def copy_batch(T, batch, bits):
    payload = torch.randint(0, 2, (T, batch, bits)).float()
    seq = torch.zeros(T + 1, batch, bits + 1)
    seq[:T, :, :bits] = payload
    seq[T, :, bits] = 1.0
    return seq, payload


class CopyTask:
    def __init__(self, model, bits, lr=1e-3, clip=10.0):
        self.model, self.bits, self.clip = model, bits, clip
        self.opt = torch.optim.RMSprop(model.parameters(), lr=lr, momentum=0.9)

    def step(self, T, batch):
        seq, target = copy_batch(T, batch, self.bits)
        loss = F.binary_cross_entropy_with_logits(self.model(seq, T), target)
        self.opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_value_(self.model.parameters(), self.clip)
        self.opt.step()
        return loss.item()


# --- driver ---
task = CopyTask(NTM(5, 4), bits=4)
print([task.step(3, 2) for _ in range(2)])
