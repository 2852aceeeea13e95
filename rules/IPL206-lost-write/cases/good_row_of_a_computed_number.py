"""An index that is computed from numbers makes a view: what is copied into it stays."""

import torch


class Neighbours:
    def __init__(self, first):
        self.first = first

    def table(self, rows, found):
        table = torch.empty(rows, 2)
        for i in range(self.first, self.first + rows):
            table[i - self.first].copy_(found[i])
        return table


if __name__ == "__main__":
    found = torch.arange(8.0).view(4, 2)
    assert torch.equal(Neighbours(1).table(3, found), found[1:])
