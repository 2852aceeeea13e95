import torch
from torch import nn


class Memory(nn.Module):
    """A small content-addressed memory."""

    def __init__(self, slots, width):
        super().__init__()
        self.register_buffer("init", torch.randn(slots, width) * 0.1)
        self.mem = None

    def reset(self, batch):
        self.mem = self.init.expand(batch, -1, -1).clone()

    def read(self, w):
        return torch.bmm(w.unsqueeze(1), self.mem).squeeze(1)

    def write(self, w, add):
        self.mem += w.unsqueeze(-1) * add.unsqueeze(1)  # BUG
