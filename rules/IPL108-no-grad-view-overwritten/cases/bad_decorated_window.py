"""A method under `@torch.no_grad()` returns a view, and its caller writes into it."""

import torch
from torch import nn


class Memory(nn.Module):
    def __init__(self, length, width):
        super().__init__()
        self.encode = nn.Linear(width, width)
        self.length = length

    @torch.no_grad()
    def window(self, store, start):
        return store[start : start + 2]

    def forward(self, x):
        store = torch.zeros(self.length, x.shape[-1])
        window = self.window(store, 1)
        window += self.encode(x)  # expect: IPL108
        return store.sum()


if __name__ == "__main__":
    Memory(6, 3)(torch.randn(2, 3)).backward()
