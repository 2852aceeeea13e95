"""Estimates the memory that naive attention keeps for backward: a formula, and its value at the target's sizes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import windows
from .target import SIZES

if TYPE_CHECKING:
    from .shapes import Shapes
    from .site import Site
    from .target import Target


def kept(site: Site) -> list[tuple[str, int]]:
    """(name, bytes per element in bf16) of each tensor of the scores' size that autograd saves."""
    softmax = site.softmax
    dtype = softmax.args[2] if softmax.op == "softmax" else None
    casts = [*site.scores.casts, *([dtype] if dtype is not None else [])]
    wide = any(getattr(one, "op", "") == "symbol" and one.args[0] == "torch.float32" for one in casts)
    tensors = [("weights fp32", 4) if wide else ("weights bf16", 2)]
    if softmax.op != "softmax":
        tensors.insert(0, ("exponentials bf16", 2))
    if site.weights.dropouts:
        tensors += [("dropout mask", 1), ("weights after dropout bf16", 2)]
    elif wide:
        tensors.append(("their bf16 copy", 2))
    return tensors


def told(site: Site, shapes: Shapes, target: Target) -> str:
    """The formula and its value, in words; the source seldom says how long sequences are."""
    tensors = kept(site)
    names = " + ".join(name for name, _ in tensors)
    names = f"({names})" if len(tensors) > 1 else names
    bytes_each = sum(size for _, size in tensors)
    if not windows.has_window(site, shapes):
        return f"B·H·L·S × {names}: {gibibytes(elements(target) * bytes_each)} at {at(target)}"
    formula = f"B·H·N·W × {names}, for N positions that see W keys each, a setting of this module"
    keys = windows.width(site, shapes)
    if keys is None:
        return formula
    batch, heads, length = _sizes(target)
    total = batch * heads * max(length, keys) * keys * bytes_each
    return f"{formula}: {gibibytes(total)} at {_default(target)}B={batch}, H={heads}, N={max(length, keys)}, W={keys}"


def at(target: Target) -> str:
    """The sizes in words, marked if they are the defaults."""
    batch, heads, length = _sizes(target)
    return f"{_default(target)}B={batch}, H={heads}, L=S={length}"


def _default(target: Target) -> str:
    return "the default sizes " if target.sizes == SIZES else ""


def _sizes(target: Target) -> tuple[int, int, int]:
    return target.sizes["batch"], target.sizes["heads"], target.sizes["length"]


def elements(target: Target) -> int:
    """The number of elements of a tensor of the scores' size."""
    batch, heads, length = _sizes(target)
    return batch * heads * length**2


def gibibytes(count: int) -> str:
    """A number of bytes, in GiB or MiB."""
    value = count / 2**30
    if value < 0.1:
        return f"{value * 2**10:.1f} MiB"
    return f"{value:.0f} GiB" if value >= 10 else f"{value:.1f} GiB"
