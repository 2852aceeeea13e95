"""A rank computed from ranks is a number, though nothing here says so."""

import torch


class Ring:
    def __init__(self, group):
        self.rank = group.rank()
        self.size = group.size()

    def exchange(self, rows, found):
        for step in range(1, self.size):
            source = (self.rank - step) % self.size
            for into, out in zip(rows, found):
                into[source].copy_(out[self.rank])
        return rows


class Group:
    def rank(self):
        return 0

    def size(self):
        return 2


if __name__ == "__main__":
    rows = Ring(Group()).exchange([torch.zeros(2, 3)], [torch.ones(2, 3)])
    assert rows[0][1].sum() == 3
