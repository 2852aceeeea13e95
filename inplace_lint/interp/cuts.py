"""Decides whether a part of a tensor, cut out along one axis, stays a view when its axes are split or merged.

The parts that `split` and `chunk` return are not contiguous, but their axes lie in memory as those of the whole do, all
but one: the axis before the cut one does not go on where that ends. So splitting an axis makes a view, as does merging
axes on one side of that place; merging across it makes a copy.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import axes
from .values import Constant

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..torchmodel.facts import Facts
    from .run import Run
    from .values import Tensor, Value


def axis_of(facts: Facts, tensor: Tensor, values: Sequence[Value | None]) -> int | None:
    """The axis along which an op cuts a tensor that lies in one piece; None if it does not, or that is not known."""
    cuts = any(ret.kind == "views" for ret in facts.returns) and not facts.layout.axes.takes_axis_away
    if not cuts or tensor.view or tensor.expanded is not None:
        return None
    given = axes.argument(facts, values, "dim")
    return given.value if isinstance(given, Constant) and type(given.value) is int else None


def only_splits(run: Run, args: Sequence[Value]) -> bool:
    """Whether `reshape(*args)` gives each such part more axes than it has, so that it splits some and merges none."""
    found = [tensor for _, tensor in run.tensors(args[0])] if len(args) > 1 else []
    count = len(axes.written_out(run, args[1], args[1:])) if found else 0
    return bool(found) and all(
        one.cut is not None and one.sizes is not None and count > len(one.sizes) for one in found
    )


def note_rank(run: Run, value: Value, count: int) -> None:
    """Learn the number of axes where a shape is unpacked: `b, c, h, w = x.shape`."""
    tensor = axes.tensor_of_shape(run, value)
    if tensor is not None and tensor.sizes is None:
        tensor.sizes = (None,) * count
