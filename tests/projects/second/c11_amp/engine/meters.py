import torch


class Meter:
    def __init__(self):
        self.sum = torch.zeros(())
        self.n = 0

    def update(self, v, n=1):
        self.sum += v.detach() * n
        self.n += n

    @property
    def avg(self):
        return self.sum / max(self.n, 1)
