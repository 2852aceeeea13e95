"""A view for the loss is taken under `no_grad`, then an offset is added to it."""

import torch
from torch import nn


class Head(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.proj = nn.Linear(width, width)

    def forward(self, x):
        h = self.proj(x)
        with torch.no_grad():
            flat = h.view(-1)
        flat += 1.0  # expect: IPL108
        return flat.sum()


if __name__ == "__main__":
    Head(3)(torch.randn(2, 3)).backward()
