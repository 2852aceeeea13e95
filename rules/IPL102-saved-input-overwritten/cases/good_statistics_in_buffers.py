"""What a batch is needed for are statistics in buffers: nobody calls backward on these."""

import torch
from torch import nn


class Normalizer(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.register_buffer("mean", torch.zeros(size))
        self.register_buffer("square", torch.ones(size))

    def update(self, batch):
        self.mean = batch.mean(0)
        self.square = (batch**2).mean(0)
        batch.zero_()

    def forward(self, x):
        return (x - self.mean) / (self.square - self.mean**2).sqrt()


def fit(normalizer, batches):
    for batch in batches:
        normalizer.update(batch)
    return normalizer


fitted = fit(Normalizer(4), [torch.randn(8, 4)])
fitted(torch.randn(2, 4, requires_grad=True)).sum().backward()
