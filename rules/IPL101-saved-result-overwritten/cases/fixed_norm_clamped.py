"""A norm clamped in place before the division."""

import torch
from torch import nn


class CosineClassifier(nn.Module):
    def __init__(self, width, classes):
        super().__init__()
        self.embed = nn.Linear(width, width)
        self.prototypes = nn.Parameter(torch.randn(classes, width))

    def forward(self, x):
        features = self.embed(x)
        length = features.norm(dim=-1, keepdim=True)
        length = length.clamp(min=1e-6)
        return (features / length) @ self.prototypes.t()


if __name__ == "__main__":
    CosineClassifier(8, 3)(torch.randn(5, 8)).sum().backward()
