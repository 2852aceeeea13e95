import torch


class Accumulator:
    def __init__(self, n):
        self.n = n
        self.pending = []

    def add(self, loss):
        self.pending.append(loss / self.n)
        return len(self.pending) == self.n

    def pop(self):
        total = torch.stack(self.pending).sum()
        self.pending.clear()
        return total
