import torch
import torch.nn as nn
import torch.nn.functional as F


class MemoryBank(nn.Module):
    """FIFO of normalised keys, kept as (dim, size) so logits are one matmul."""

    def __init__(self, size, dim):
        super().__init__()
        self.size = size
        self.register_buffer("keys", F.normalize(torch.randn(dim, size), dim=0))
        self.register_buffer("age", torch.zeros(size))
        self.cursor = 0

    @property
    def negatives(self):
        return self.keys.detach()

    @torch.no_grad()
    def push(self, k):
        n = k.size(0)
        end = self.cursor + n
        if end <= self.size:
            self.keys[:, self.cursor:end] = k.t()  # BUG
        else:
            head = self.size - self.cursor
            self.keys[:, self.cursor:] = k[:head].t()
            self.keys[:, : end - self.size] = k[head:].t()
        self.age += 1
        self.age[self.cursor:end] = 0
        self.cursor = end % self.size

    def mean_age(self):
        return self.age.mean().item()
