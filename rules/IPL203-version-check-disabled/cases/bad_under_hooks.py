"""Hooks that only look at what is saved switch the comparison off."""

import torch

sizes = []


def pack(tensor):
    sizes.append(tensor.numel())
    return tensor


x = torch.randn(4, requires_grad=True)
with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
    y = torch.sigmoid(x)
y.mul_(2)  # expect: IPL203
y.sum().backward()
