"""A count that is taken out of a tensor of counts selects a row, and selecting saves no index."""

import torch
from torch import nn


class Gathered(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.gate = nn.Linear(width, 1)

    def forward(self, x, lengths):
        rows, columns, width = x.size()
        gates = torch.sigmoid(self.gate(x)).squeeze(2)
        out = x.new_zeros(rows, columns, width)
        counts = torch.zeros(rows, dtype=torch.int64)
        for column in range(columns):
            for row in range(rows):
                if column > lengths[row] - 1:
                    continue
                out[row, counts[row]] = gates[row, column] * x[row, column]
                counts[row] += 1
        return out


if __name__ == "__main__":
    rows = [torch.randn(2, 4), torch.randn(3, 4)]
    padded = nn.utils.rnn.pad_sequence(rows, batch_first=True)
    Gathered(4)(padded, torch.tensor([2, 3])).sum().backward()
