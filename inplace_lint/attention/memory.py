"""Estimates the memory that naive attention keeps for backward: a formula, and its value at the target's sizes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .target import SIZES

if TYPE_CHECKING:
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


def told(site: Site, target: Target) -> str:
    """The formula and its value, in words; the source does not say how long sequences are."""
    tensors = kept(site)
    total = elements(target) * sum(size for _, size in tensors)
    names = " + ".join(name for name, _ in tensors)
    formula = f"B·H·L·S × ({names})" if len(tensors) > 1 else f"B·H·L·S × {names}"
    return f"{formula}: {gibibytes(total)} at {at(target)}"


def at(target: Target) -> str:
    """The sizes in words, marked if they are the defaults."""
    batch, heads, length = (target.sizes[name] for name in ("batch", "heads", "length"))
    return f"{'the default sizes ' if target.sizes == SIZES else ''}B={batch}, H={heads}, L=S={length}"


def elements(target: Target) -> int:
    """The number of elements of a tensor of the scores' size."""
    return target.sizes["batch"] * target.sizes["heads"] * target.sizes["length"] ** 2


def gibibytes(count: int) -> str:
    """A number of bytes, in GiB or MiB."""
    value = count / 2**30
    if value < 0.1:
        return f"{value * 2**10:.1f} MiB"
    return f"{value:.0f} GiB" if value >= 10 else f"{value:.1f} GiB"
