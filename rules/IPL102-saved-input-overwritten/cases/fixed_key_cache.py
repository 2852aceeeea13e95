"""Keys are written into a buffer that the step before has multiplied by a query."""

import torch
from torch import nn


class Decoder(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.query = nn.Linear(width, width)
        self.key = nn.Linear(width, width)

    def forward(self, tokens):
        length, width = tokens.shape
        keys = torch.zeros(length, width)
        scores = []
        for t in range(length):
            keys = keys.clone()
            keys[t] = self.key(tokens[t])
            scores.append(keys @ self.query(tokens[t]))
        return torch.stack(scores)


if __name__ == "__main__":
    Decoder(4)(torch.randn(3, 4)).sum().backward()
