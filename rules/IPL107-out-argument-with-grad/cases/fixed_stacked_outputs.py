"""Outputs of several heads are stacked into one preallocated tensor."""

import torch
from torch import nn


class Heads(nn.Module):
    def __init__(self, width, count):
        super().__init__()
        self.heads = nn.ModuleList(nn.Linear(width, 1) for _ in range(count))

    def forward(self, x):
        outputs = [head(x) for head in self.heads]
        stacked = torch.empty(len(outputs), x.shape[0], 1)
        stacked = torch.stack(outputs)
        return stacked.mean()


if __name__ == "__main__":
    Heads(3, 2)(torch.randn(4, 3)).backward()
