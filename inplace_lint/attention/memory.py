"""What naive attention keeps alive for backward: a formula, and its value at sizes named with it."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .site import Site

#: Sizes for the number in a message: nothing in the source says how long the sequences are.
BATCH, HEADS, LENGTH = 8, 16, 8192


def kept(site: Site) -> list[tuple[str, int]]:
    """(name, bytes an element in bf16) of each tensor of the scores' size that autograd keeps."""
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


def told(site: Site) -> str:
    """The formula and the number, in words."""
    tensors = kept(site)
    total = BATCH * HEADS * LENGTH * LENGTH * sum(size for _, size in tensors)
    names = " + ".join(name for name, _ in tensors)
    formula = f"B·H·L·S × ({names})" if len(tensors) > 1 else f"B·H·L·S × {names}"
    return f"{formula}: {gibibytes(total)} at B={BATCH}, H={HEADS}, L=S={LENGTH}"


def gibibytes(count: int) -> str:
    """A number of bytes in GiB."""
    value = count / 2**30
    return f"{value:.0f} GiB" if value >= 10 else f"{value:.1f} GiB"
