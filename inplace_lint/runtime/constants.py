"""Varies constant parameters and buffers of a module: zeros and ones could hide a difference between two forms."""

from __future__ import annotations

import torch
from torch import nn
from torch.nn.parameter import is_lazy


def vary(module: nn.Module) -> bool:
    """Gives parameters and buffers whose elements are all equal values around that; whether there were any.

    What is positive stays so, and what is zero becomes positive: it may be a variance, or be divided by. A buffer of
    one element may be a flag or a count, and stays. The values are the same each time.
    """
    generator = torch.Generator().manual_seed(0)
    varied = False
    for tensor in (*module.parameters(), *(one for one in module.buffers() if one.numel() > 1)):
        if is_lazy(tensor) or not tensor.is_floating_point() or tensor.layout != torch.strided:
            continue
        if not tensor.numel() or tensor.device.type == "meta":
            continue
        with torch.no_grad():
            first = tensor.reshape(-1)[0].item()
            if first - first != 0 or not bool((tensor == first).all()):  # infinite, or not constant
                continue
            random = torch.rand(tensor.shape, generator=generator).to(tensor)
            tensor.copy_((0.75 + 0.5 * random) * first if first else 0.05 + 0.1 * random)
            varied = True
    return varied
