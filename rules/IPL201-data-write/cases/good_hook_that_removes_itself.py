"""The first call fills the weight, in a hook that takes itself away: no later call changes what an earlier one saved."""

import torch
from torch import nn


class Lazy(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(size, size))
        self.handle = self.register_forward_pre_hook(self.fill)

    @torch.no_grad()
    def fill(self, module, inputs):
        self.weight.data.uniform_(-1, 1)
        self.handle.remove()

    def forward(self, x):
        return torch.tanh(x @ self.weight)


class Stack(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.layer = Lazy(size)

    def forward(self, x):
        for _ in range(3):
            x = self.layer(x)
        return x


if __name__ == "__main__":
    Stack(3)(torch.rand(2, 3)).sum().backward()
