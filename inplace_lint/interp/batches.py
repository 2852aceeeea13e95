"""Tells whether `matmul` saves a batch of matrices as it is, or a copy: it merges the axes of the batch into one.

Measured with torch 2.13: axes of a batch merge in place if none was moved or repeated, and none but the first was cut;
how each matrix lies does not matter. A batch of one axis is never merged.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .values import Constant

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..torchmodel.facts import Facts
    from ..torchmodel.layout import Layout
    from .values import Sizes, Tensor, Value


def is_cut(tensor: Tensor, after: Sizes | None) -> bool:
    """Whether a view of this shape leaves out a part of an axis between the first and the last two."""
    before = tensor.sizes
    if before is None or after is None or len(before) != len(after):
        return tensor.batch_cut
    return tensor.batch_cut or before[1:-2] != after[1:-2]


def turns_matrices(layout: Layout, tensor: Tensor, values: Sequence[Value | None]) -> bool:
    """Whether a view by this op has its axes moved, but none other than the last two."""
    if tensor.strided and not tensor.matrices_turned:
        return False
    if not layout.scatters:
        return tensor.matrices_turned
    rank = None if tensor.sizes is None else len(tensor.sizes)
    given = [one.value if isinstance(one, Constant) else None for one in values[1:3]]
    axes = {one - rank if rank and isinstance(one, int) and one >= 0 else one for one in given}
    return layout.swaps and axes <= {-1, -2}


def are_multiplied(facts: Facts, shapes: Sequence[Sizes | None]) -> bool:
    """Whether an op multiplies two batches of matrices with several batch axes, and so merges none of their rows."""
    several = all(shape is not None and len(shape) > 3 for shape in shapes)
    return facts.layout.axes.group == "product" and len(shapes) == 2 and several


def saves_as_it_is(facts: Facts, tensor: Tensor, shapes: Sequence[Sizes | None]) -> bool | None:
    """Whether `matmul` of two batches with several axes saves this operand itself; None where that is not known."""
    if not are_multiplied(facts, shapes):
        return None
    first, second = shapes
    assert first is not None and second is not None
    if tensor.batch_cut or len(first) != len(second):
        return False
    if any(None not in (one, other) and one != other for one, other in zip(first[:-2], second[:-2])):
        return False  # one of the two is repeated, and that is saved as a copy
    return True if tensor.matrices_turned else None
