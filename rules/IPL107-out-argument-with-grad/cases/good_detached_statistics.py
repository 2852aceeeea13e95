"""Statistics of detached activations are written into a buffer."""

import torch
from torch import nn


class Tracker(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.fc = nn.Linear(width, width)
        self.register_buffer("largest", torch.zeros(width))

    def forward(self, x):
        h = self.fc(x)
        batch = h.detach().amax(dim=0)
        torch.maximum(self.largest, batch, out=self.largest)
        return h.sum()


if __name__ == "__main__":
    Tracker(3)(torch.randn(2, 3)).backward()
