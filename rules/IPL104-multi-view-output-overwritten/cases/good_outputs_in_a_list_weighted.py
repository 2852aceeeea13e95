"""Each element of a list of outputs is weighted in its place: they are tensors of their own, and no views."""

import torch
from torch import nn


class Adapter(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.alphas = nn.Parameter(torch.randn(n))
        self.mixed = nn.Linear(8, 4)

    def forward(self, x):
        for i, el in enumerate(x):
            x[i] = self.alphas[i] * el
        x = torch.cat(x, dim=1)
        return self.mixed(x)


class Column(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.own = nn.Linear(4, 4)
        self.adapter = Adapter(n)

    def forward(self, x):
        before, last = x[:-1], x[-1]
        hidden = self.adapter(before)
        hidden += self.own(last)
        return hidden


if __name__ == "__main__":
    Column(2)([torch.randn(3, 4) for _ in range(3)]).sum().backward()
