"""Varies constant parameters and buffers of a module: zeros and ones could hide a difference between two forms."""

from __future__ import annotations

import torch
from torch import nn
from torch.nn.parameter import is_lazy


def vary(module: nn.Module) -> bool:
    """Replaces each parameter or buffer of equal elements by random values near that number; True if any was.

    Example: a LayerNorm's weight of ones, its bias of zeros. Signs are kept, and zeros become positive, since the
    number may be a variance or a divisor. A one-element buffer may be a flag or a count and is kept. The seed is fixed.
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
