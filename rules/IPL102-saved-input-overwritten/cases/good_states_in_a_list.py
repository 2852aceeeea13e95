"""Item assignment to a list puts another tensor into it: none is changed."""

import torch
from torch import nn


class Stack(nn.Module):
    def __init__(self, width, depth):
        super().__init__()
        self.cells = nn.ModuleList([nn.GRUCell(width, width) for _ in range(depth)])
        self.norms = nn.ModuleList([nn.LayerNorm(width) for _ in range(depth)])

    def forward(self, steps, states):
        for x in steps:
            for layer in range(len(self.cells)):
                states[layer] = self.cells[layer](x, states[layer])
                states[layer] = states[layer] + x
                states[layer] = self.norms[layer](states[layer])
                x = states[layer]
        return x


if __name__ == "__main__":
    Stack(4, 2)(torch.randn(3, 2, 4), [torch.zeros(2, 4), torch.zeros(2, 4)]).sum().backward()
