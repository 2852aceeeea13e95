"""A flag keeps its default whichever of two dicts of options is spread."""

import torch
from torch import nn


class SoftClamp(nn.Module):
    def __init__(self, alpha=0.01, inplace=False):
        super().__init__()
        self.alpha = alpha
        self.inplace = inplace

    def forward(self, x):
        low = torch.min(x, torch.zeros_like(x))
        if self.inplace:
            return x.clamp_(0, 1).add_(low, alpha=self.alpha)
        return x.clamp(0, 1).add(low, alpha=self.alpha)


def build(name):
    alpha = name.replace("soft", "")
    options = {"alpha": float(alpha)} if len(alpha) > 0 else {}
    return SoftClamp(**options)


class Net(nn.Module):
    def __init__(self, width, clamp="soft"):
        super().__init__()
        self.layer = nn.Linear(width, width)
        self.clamp = build(clamp)

    def forward(self, x):
        return self.clamp(self.layer(x))


if __name__ == "__main__":
    for name in ("soft", "soft0.1"):
        Net(4, name)(torch.randn(3, 4)).sum().backward()
