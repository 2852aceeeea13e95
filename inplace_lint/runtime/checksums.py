"""Computes a checksum of a tensor's bytes on its own device, in one pass, to tell whether a saved tensor changed."""

from __future__ import annotations

from typing import Any

import torch

#: Number of 8-byte words in a checksum: a prime, so that swapped rows of any usual width fall into other words.
_WORDS = 1009


def fold(tensor: torch.Tensor) -> torch.Tensor | None:
    """Returns the bytes of a tensor summed into 1009 words (a small tensor as it is); None if they cannot be read.

    The sum follows the order in memory and ignores the shape, so only folds of the same tensor can be compared.
    """
    if type(tensor) not in (torch.Tensor, torch.nn.Parameter):
        return None
    if tensor.layout != torch.strided or tensor.device.type == "meta":
        return None
    try:
        with torch._C._DisableTorchDispatch(), torch.no_grad():
            found: torch.Tensor = _fold(tensor.detach())
            return found
    except (RuntimeError, NotImplementedError, TypeError):
        return None


def differs(tensor: torch.Tensor, checksum: torch.Tensor | None) -> bool | None:
    """Whether a tensor's bytes have changed since the checksum was taken; None if that is unknown."""
    if checksum is None:
        return None
    now = fold(tensor)
    if now is None or now.shape != checksum.shape:
        return None if now is None else True
    with torch._C._DisableTorchDispatch():
        return not bool(torch.equal(now, checksum))


def _fold(tensor: Any) -> Any:
    if tensor.is_conj() or tensor.is_neg():
        tensor = tensor.resolve_conj().resolve_neg()
    # Read the repeated elements of an expanded tensor (stride 0) once, and the others in the order of memory.
    for dim, (size, stride) in enumerate(zip(tensor.shape, tensor.stride())):
        if stride == 0 and size > 1:
            tensor = tensor.narrow(dim, 0, 1)
    if not tensor.is_contiguous():
        order = sorted(range(tensor.dim()), key=lambda dim: -tensor.stride(dim))
        tensor = tensor.permute(order).contiguous()
    flat = tensor.reshape(-1)
    size = flat.numel() * flat.element_size()
    if size <= 8 * _WORDS:
        return flat.view(torch.uint8).clone() if size else torch.zeros(0, dtype=torch.uint8)
    if size % 8 == 0 and tensor.storage_offset() * flat.element_size() % 8 == 0:
        words = flat.view(torch.int64)
    else:
        data = flat.view(torch.uint8)
        cut = size // 8 * 8
        aligned = data.storage_offset() % 8 == 0
        words = (data[:cut] if aligned else data[:cut].clone()).view(torch.int64)
        if size != cut:
            rest = torch.zeros(8, dtype=torch.uint8, device=data.device)
            rest[: size - cut] = data[cut:]
            words = torch.cat((words, rest.view(torch.int64)))
    rows = words.numel() // _WORDS
    whole = rows * _WORDS
    total = words[:whole].view(rows, _WORDS).sum(0)
    total[: words.numel() - whole] += words[whole:]
    return total
