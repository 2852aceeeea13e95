import torch
import torch.nn.functional as F
from torch import nn


class Queue(nn.Module):
    def __init__(self, dim, size):
        super().__init__()
        self.size = size
        self.register_buffer("keys", F.normalize(torch.randn(dim, size), dim=0))
        self.register_buffer("ptr", torch.zeros(1, dtype=torch.long))

    @torch.no_grad()
    def push(self, keys):
        n = keys.size(0)
        start = int(self.ptr)
        self.keys[:, start : start + n] = keys.t()  # BUG
        self.ptr[0] = (start + n) % self.size
