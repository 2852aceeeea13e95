"""Decides whether a part of a tensor, cut out along one axis, stays a view when its axes are split or merged.

The parts that `split` and `chunk` return are not contiguous, but their axes lie in memory as those of the whole do, all
but one: the axis before the cut one does not go on where that ends. So splitting an axis makes a view, as does merging
axes on one side of that place; merging across it makes a copy.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import axes
from .slices import Slice
from .values import Constant, Scalar

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..torchmodel.facts import Facts
    from .run import Run
    from .values import Sizes, Tensor, Value


def axis_of(facts: Facts, tensor: Tensor, values: Sequence[Value | None]) -> int | None:
    """The axis along which an op cuts a tensor that lies in one piece; None if it does not, or that is not known."""
    cuts = any(ret.kind == "views" for ret in facts.returns) and not facts.layout.axes.takes_axis_away
    if not cuts or tensor.view or tensor.expanded is not None:
        return None
    given = axes.argument(facts, values, "dim")
    return given.value if isinstance(given, Constant) and type(given.value) is int else None


def puts_rows_apart(facts: Facts, tensor: Tensor, values: Sequence[Value | None]) -> bool:
    """Whether the rows of the parts that an op such as `chunk` or `select` takes may not merge without a copy.

    A linear layer merges all axes of its input but the last, and so saves a copy of such a part.
    """
    if not facts.layout.axes.goes_along_axis:
        return False
    given = axes.argument(facts, values, "dim")
    axis = given.value if isinstance(given, Constant) else 0
    if not isinstance(axis, int) or axis == 0:
        return False
    taken = facts.layout.axes.drops_axis
    if tensor.sizes is None:
        return not taken and axis != -1
    rank = len(tensor.sizes)
    return 0 < axis % rank < rank - 1 - taken if rank else False


def subscript_puts_rows_apart(sizes: Sizes | None, parts: Sequence[Value]) -> bool:
    """Whether the rows of `tensor[parts]`, of a tensor of this shape, may not merge without a copy.

    A part of an axis does not go on where the axis before it ends, and with a step not even in itself; nor do the axes
    around one that is taken away. Where the rank is not known, the axis behind the given ones may be the last.
    """
    given = [part for part in parts if not _is(part, None)]
    dots = next((i for i, part in enumerate(given) if _is(part, ...)), len(given))
    front, back = given[:dots], given[dots + 1 :]
    if sizes is None:
        return any(map(_is_step, front)) or any(map(_is_part, [*front[1:], *back[:-1]]))
    rank = len(sizes)
    placed = [*enumerate(front), *enumerate(back, rank - len(back))]
    return any(
        (_is_part(part) and 0 < axis < rank - 1)
        or (_is_step(part) and axis < rank - 2)
        or (_is_number(part) and 0 < axis < rank - 2)
        for axis, part in placed
    )


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


def _is(part: Value, word: object) -> bool:
    return isinstance(part, Constant) and part.value is word


def _is_number(part: Value) -> bool:
    return isinstance(part, Scalar) or (isinstance(part, Constant) and type(part.value) is int)


def _is_part(part: Value) -> bool:
    """Whether a part of a subscript is a slice that may leave out something of its axis."""
    if not isinstance(part, Slice):
        return False
    start, stop, _ = part.parts
    from_start = isinstance(start, Constant) and start.value in (None, 0)
    return _is_step(part) or not (from_start and _is(stop, None))


def _is_step(part: Value) -> bool:
    step = part.parts[2] if isinstance(part, Slice) else None
    return step is not None and not (isinstance(step, Constant) and step.value in (None, 1))
