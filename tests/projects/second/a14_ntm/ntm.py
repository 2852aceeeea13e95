import torch
from torch import nn

from controller import Controller
from memory import Memory


class NTM(nn.Module):
    def __init__(self, d_in, width=8, slots=5):
        super().__init__()
        self.width = width
        self.memory = Memory(slots, width)
        self.ctrl = Controller(d_in, width, slots)
        self.out = nn.Linear(width, d_in)

    def forward(self, seq):
        n = seq.size(0)
        self.memory.reset(n)
        h = torch.zeros(n, self.width)
        r = torch.zeros(n, self.width)
        ys = []
        for x in seq.unbind(1):
            h, w, a = self.ctrl(x, r, h)
            r = self.memory.read(w)
            self.memory.write(w, a)
            ys.append(self.out(r))
        return torch.stack(ys, 1)
