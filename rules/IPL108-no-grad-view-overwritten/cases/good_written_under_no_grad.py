"""View and write are both under `no_grad`."""

import torch
from torch import nn


class Memory(nn.Module):
    def __init__(self, length, width):
        super().__init__()
        self.encode = nn.Linear(width, width)
        self.register_buffer("store", torch.zeros(length, width))

    def forward(self, x):
        encoded = self.encode(x)
        with torch.no_grad():
            window = self.store[: x.shape[0]]
            window.copy_(encoded)
        return encoded.sum()


if __name__ == "__main__":
    Memory(6, 3)(torch.randn(2, 3)).backward()
