"""An index of all counts at once is saved, and each count grows afterwards."""

import torch


def gathered(x, gates):
    rows, columns, width = x.size()
    out = x.new_zeros(rows, columns + 1, width)
    counts = torch.zeros(rows, dtype=torch.int64)
    for column in range(columns):
        out[:, counts] = gates[:, column, None, None] * x[:, column, None]
        counts = counts.clone()
        for row in range(rows):
            counts[row] += 1
    return out


if __name__ == "__main__":
    gathered(torch.randn(2, 3, 4, requires_grad=True), torch.rand(2, 3, requires_grad=True)).sum().backward()
