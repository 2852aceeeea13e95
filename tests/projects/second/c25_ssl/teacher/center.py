import torch
from torch import nn


class Center(nn.Module):
    def __init__(self, k, m=0.9):
        super().__init__()
        self.m = m
        self.register_buffer("value", torch.zeros(1, k))

    @torch.no_grad()
    def update(self, t):
        self.value.mul_(self.m).add_(t.mean(0, keepdim=True), alpha=1 - self.m)
