"""A method under `@torch.no_grad()` may write parameters."""

import torch
from torch import nn


class Prototypes(nn.Module):
    def __init__(self, count, width):
        super().__init__()
        self.vectors = nn.Parameter(torch.randn(count, width))

    @torch.no_grad()
    def normalise(self):
        self.vectors.div_(self.vectors.norm(dim=-1, keepdim=True))

    def forward(self, x):
        return x @ self.vectors.t()


if __name__ == "__main__":
    prototypes = Prototypes(3, 4)
    prototypes.normalise()
    prototypes(torch.randn(2, 4)).sum().backward()
