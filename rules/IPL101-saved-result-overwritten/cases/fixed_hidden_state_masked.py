"""A recurrent cell that masks its hidden state in place at every step."""

import torch
from torch import nn


class Recurrent(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.input = nn.Linear(width, width)
        self.hidden = nn.Linear(width, width)

    def forward(self, steps, mask):
        h = torch.zeros(steps.shape[1], steps.shape[2])
        for t in range(steps.shape[0]):
            h = torch.tanh(self.input(steps[t]) + self.hidden(h))
            h = h * mask[t].unsqueeze(-1)
        return h


if __name__ == "__main__":
    model = Recurrent(4)
    out = model(torch.randn(3, 2, 4), torch.ones(3, 2))
    out.sum().backward()
