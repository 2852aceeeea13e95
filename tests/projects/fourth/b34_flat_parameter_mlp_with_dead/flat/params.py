import math

import torch


class FlatParameters:
    """All weights in one leaf vector; named pieces are handed out as views."""

    def __init__(self):
        self.specs = {}
        self.size = 0
        self.vector = None

    def reserve(self, name, *shape):
        n = math.prod(shape)
        self.specs[name] = (self.size, n, shape)
        self.size += n

    def allocate(self):
        self.vector = torch.zeros(self.size, requires_grad=True)
        return self.vector

    def view(self, name):
        start, n, shape = self.specs[name]
        return self.vector[start:start + n].view(shape)

    def __contains__(self, name):
        return name in self.specs

    def __getitem__(self, name):
        return self.view(name)

    def items(self):
        for name in self.specs:
            yield name, self.view(name)
