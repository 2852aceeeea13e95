"""Written in place only where gradients are not recorded; that is one of two conditions, and the other is about a list."""

import torch
from torch import nn


class Blend(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.a = nn.Linear(width, width)

    def forward(self, x, ours, theirs):
        y = torch.sigmoid(self.a(x))
        if all(u.dtype == v.dtype for u, v in zip(ours, theirs)) and not y.requires_grad:
            y.mul_(2.0)
        elif any(u.dtype == v.dtype for u, v in zip(ours, theirs)) and not torch.is_grad_enabled():
            torch.mul(y, 2.0, out=y)
        else:
            y = y * 2.0
        return y


if __name__ == "__main__":
    tensors = [torch.ones(2), torch.ones(3)]
    Blend(6)(torch.randn(4, 6), tensors, tensors).sum().backward()
