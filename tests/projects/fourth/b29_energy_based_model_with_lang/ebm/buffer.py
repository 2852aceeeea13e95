import torch


class SampleBuffer:
    """Persistent chains; a fraction restarts from noise."""

    def __init__(self, dim, size, fresh):
        self.data = torch.empty(size, dim).uniform_(-1, 1)
        self.fresh = fresh
        self.last = None

    def draw(self, n):
        self.last = torch.randperm(len(self.data))[:n]
        x = self.data[self.last]
        restart = torch.rand(n) < self.fresh
        x[restart] = torch.empty(int(restart.sum()), x.size(1)).uniform_(-1, 1)
        return x

    def put(self, x):
        self.data[self.last] = x
