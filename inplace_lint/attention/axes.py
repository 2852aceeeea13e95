"""Computes the symbolic shape of operations that only rearrange axes: reshape, transpose, indexing, stack, cat."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..torchmodel import recipes
from .notation import pattern
from .terms import Term, integer, is_const, items

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeAlias

    from .shapes import Shapes

    Shape: TypeAlias = "tuple[Axis, ...]"


#: A size such as `b * h * d` is split into at most this many factors, which bounds the work on long products.
_FACTORS = 16


class Axis:
    """One axis of a shape: `size` is None if unknown; `merged` counts the axes that a reshape folded into it."""

    __slots__ = ("merged", "role", "size")

    def __init__(self, size: Term | None, role: str = "", merged: int = 1) -> None:
        self.size, self.role, self.merged = size, role, merged


def position(dim: int | None, count: int) -> int | None:
    """The index from 0 of dimension `dim` among `count`; None if it is unknown, or if torch would raise."""
    return dim % count if dim is not None and -count <= dim < count else None


def dimension(term: Term, number: int, count: int, default: int = 0) -> int | None:
    """The index that argument `number` of an operation gives for a dimension among `count`; None if it is unknown."""
    given = term.args[number] if number < len(term.args) else None
    return position(default if given is None else integer(given), count)


def permutation(term: Term) -> list[int] | None:
    """The axis order of a `permute`, as indices from 0; None if an index is unknown or an axis is named twice."""
    numbers = [integer(one) for one in items(term.args[1]) or ()]
    order = [index for number in numbers if (index := position(number, len(numbers))) is not None]
    return order if order and sorted(order) == [*range(len(numbers))] else None


def _transpose(shapes: Shapes, term: Term) -> Shape | None:
    shape = shapes.of(term.args[0])
    if shape is None:
        return None
    a, b = (position(integer(dim), len(shape)) for dim in term.args[1:3])
    if a is None or b is None:
        return None
    axes = list(shape)
    axes[a], axes[b] = axes[b], axes[a]
    return tuple(axes)


def _mT(shapes: Shapes, term: Term) -> Shape | None:
    shape = shapes.of(term.args[0])
    return None if shape is None or len(shape) < 2 else (*shape[:-2], shape[-1], shape[-2])


def _t(shapes: Shapes, term: Term) -> Shape | None:
    shape = shapes.of(term.args[0])
    return None if shape is None else shape[::-1]


def _permute(shapes: Shapes, term: Term) -> Shape | None:
    order = permutation(term)
    if order is None:
        return None
    shape = shapes.of(term.args[0])
    if shape is None or len(shape) != len(order):
        shape = tuple(Axis(None) for _ in order)
    return tuple(shape[i] for i in order)


def _reshape(shapes: Shapes, term: Term) -> Shape | None:
    sizes = items(term.args[1])
    if sizes is None:
        return shapes.of(term.args[1].args[0]) if term.args[1].op == "shape" else None
    if any(size.op == "star" for size in sizes):
        return _starred(shapes, sizes)
    axes = [shapes.axis(size) for size in sizes]
    source = shapes.of(term.args[0])
    for number, axis in enumerate(axes):
        if axis.size is None:
            axes[number] = _inferred(shapes, source, axes, number)
    return tuple(axes)


def _starred(shapes: Shapes, sizes: tuple[Term, ...]) -> Shape | None:
    axes: list[Axis] = []
    for size in sizes:
        if size.op != "star":
            axes.append(shapes.axis(size))
            continue
        inner = size.args[0]
        if inner.op != "getitem" or inner.args[0].op != "shape" or inner.args[1].op != "slice":
            return None
        shape = shapes.of(inner.args[0].args[0])
        low, high, step = inner.args[1].args
        if shape is None or not is_const(step, None):
            return None
        axes += shape[integer(low) : integer(high)]
    return tuple(axes)


def _inferred(shapes: Shapes, source: Shape | None, axes: list[Axis], number: int) -> Axis:
    """The axis written as -1 in a reshape: whatever remains of the source's axes once the other sizes are taken out."""
    if source is not None:
        left = list(source)
        for size in [factor for other in axes if other.size is not None for factor in factors(other.size)]:
            for axis in left:
                if axis.size is size:
                    left.remove(axis)
                    break
        spare = [
            a
            for i, a in enumerate(axes)
            if i != number
            and not (a.size is not None and all(any(f is s.size for s in source) for f in factors(a.size)))
        ]
        if left and not spare:
            roles = {axis.role for axis in left}
            return Axis(
                left[0].size if len(left) == 1 else None,
                roles.pop() if len(roles) == 1 else "",
                len(left),
            )
        if left and all(axis.role == "channel" for axis in left):
            return Axis(None, "channel")
        outer = [axis for axis in left if axis.role == "outer"]
        if outer and all(a.role == "channel" for a in spare):
            return Axis(outer[0].size if len(outer) == 1 else None, "outer", len(outer))
    return Axis(None)


def factors(size: Term) -> list[Term]:
    """The factors of a size that is a product; beyond `_FACTORS`, some factors stay multiplied."""
    found: list[Term] = []
    stack = [size]
    while stack:
        one = stack.pop()
        if one.op == "mul" and len(stack) + len(found) < _FACTORS:
            stack += reversed(one.operands)
        else:
            found.append(one)
    return found


def _flatten(shapes: Shapes, term: Term) -> Shape | None:
    shape = shapes.of(term.args[0])
    if shape is None:
        return None
    start, end = dimension(term, 1, len(shape)), dimension(term, 2, len(shape), default=-1)
    if start is None or end is None or start > end:
        return None
    roles = {axis.role for axis in shape[start : end + 1]}
    merged = Axis(None, roles.pop() if len(roles) == 1 else "mixed", end - start + 1)
    return (*shape[:start], merged, *shape[end + 1 :])


def _unflatten(shapes: Shapes, term: Term) -> Shape | None:
    shape, sizes = shapes.of(term.args[0]), items(term.args[2])
    if shape is None or sizes is None:
        return None
    dim = position(integer(term.args[1]), len(shape))
    if dim is None:
        return None
    axes = [Axis(a.size, shape[dim].role) for a in map(shapes.axis, sizes)]
    return (*shape[:dim], *axes, *shape[dim + 1 :])


def _unsqueeze(shapes: Shapes, term: Term) -> Shape | None:
    shape = shapes.of(term.args[0])
    dim = None if shape is None else position(integer(term.args[1]), len(shape) + 1)
    if shape is None or dim is None:
        return None
    return (*shape[:dim], Axis(shapes.graph.terms.const(1)), *shape[dim:])


def _squeeze(shapes: Shapes, term: Term) -> Shape | None:
    shape = shapes.of(term.args[0])
    dim = None if shape is None else position(integer(term.args[1]), len(shape))
    if shape is None or dim is None or integer(shape[dim].size) != 1:
        return None
    return (*shape[:dim], *shape[dim + 1 :])


def _expand(shapes: Shapes, term: Term) -> Shape | None:
    sizes = items(term.args[1])
    if sizes is None or any(size.op == "star" for size in sizes):
        return None
    shape = shapes.of(term.args[0])
    axes = []
    for number, size in enumerate(sizes):
        own = None if shape is None or number < len(sizes) - len(shape) else shape[number - len(sizes)]
        axes.append(own if integer(size) == -1 and own is not None else shapes.axis(size))
    return tuple(axes)


def _repeat(shapes: Shapes, term: Term) -> Shape | None:
    sizes = items(term.args[1])
    return None if sizes is None else tuple(Axis(None) for _ in sizes)


def _expand_as(shapes: Shapes, term: Term) -> Shape | None:
    return shapes.of(term.args[1])


def _repeat_interleave(shapes: Shapes, term: Term) -> Shape | None:
    shape = shapes.of(term.args[0])
    dim = None if shape is None else position(integer(term.args[2]), len(shape))
    if shape is None or dim is None:
        return None
    return (*shape[:dim], Axis(None, shape[dim].role), *shape[dim + 1 :])


def _item(shapes: Shapes, term: Term) -> Shape | None:
    """The shape of one element of a chunk, split, unbind, comprehension, or of a tensor that is unpacked."""
    whole = term.args[0]
    if whole.op in ("chunk", "split"):
        shape = shapes.of(whole.args[0])
        dim = None if shape is None else dimension(whole, 2, len(shape))
        if shape is None or dim is None:
            return None
        sizes, number = items(whole.args[1]) if whole.op == "split" else None, integer(term.args[1])
        size = sizes[number] if sizes and number is not None and -len(sizes) <= number < len(sizes) else None
        return (*shape[:dim], Axis(size, shape[dim].role), *shape[dim + 1 :])
    if whole.op == "unbind":
        shape = shapes.of(whole.args[0])
        dim = None if shape is None else dimension(whole, 1, len(shape))
        if shape is None or dim is None:
            return None
        return (*shape[:dim], *shape[dim + 1 :])
    if whole.op == "comprehension":
        return shapes.of(whole.args[0])
    if whole.op == "mapped":
        return None
    shape = shapes.of(whole)  # a tensor, unpacked over its first axis
    return shape[1:] if shape else None


def _getitem(shapes: Shapes, term: Term) -> Shape | None:
    shape = shapes.of(term.args[0])
    index = term.args[1]
    if shape is None:
        entries = items(index)
        if (
            entries
            and all(is_const(e, None) or e.op == "slice" for e in entries)
            and not any(is_const(e, ...) for e in entries)
        ):
            known = shapes.graph.ranks.get(term.args[0])
            shape = None if known is None else tuple(Axis(None) for _ in range(known))
            if shape is None:
                return None
        else:
            return None
    entries = items(index) if index.op == "tuple" else (index,)
    if entries is None:
        return None
    used = sum(1 for e in entries if not is_const(e, None, ...) and not is_const(e, None))
    used -= sum(1 for e in entries if is_const(e) and e.args[0] is ...)
    axes: list[Axis] = []
    position = 0
    for entry in entries:
        if is_const(entry) and entry.args[0] is None:
            axes.append(Axis(shapes.graph.terms.const(1)))
        elif is_const(entry) and entry.args[0] is ...:
            skip = len(shape) - sum(
                1 for e in entries if not (is_const(e) and (e.args[0] is None or e.args[0] is ...))
            )
            axes += shape[position : position + skip]
            position += skip
        elif entry.op == "slice":
            if position >= len(shape):
                return None
            axes.append(_sliced(shapes, shape[position], entry))
            position += 1
        elif integer(entry) is not None or entry.op in ("size",):
            position += 1
        else:
            return None
    return (*axes, *shape[position:])


def _sliced(shapes: Shapes, axis: Axis, entry: Term) -> Axis:
    low, high, step = entry.args
    if all(is_const(part, None) for part in (low, high, step)):
        return axis
    if is_const(step, None) and (is_const(low, None) or is_const(low, 0)) and not (integer(high) or 0) < 0:
        return Axis(high if not is_const(high, None) else None, axis.role)
    if integer(low) is not None and integer(high) is not None and is_const(step, None):
        width = (integer(high) or 0) - (integer(low) or 0)
        return Axis(shapes.graph.terms.const(width) if width > 0 else None, axis.role)
    if integer(low) == -1 and is_const(high, None):
        return Axis(shapes.graph.terms.const(1), axis.role)
    return Axis(None, axis.role)


def _stack(shapes: Shapes, term: Term) -> Shape | None:
    parts = items(term.args[0])
    shape = shapes.of(parts[0]) if parts else None
    dim = None if shape is None else dimension(term, 1, len(shape) + 1)
    if shape is None or dim is None or parts is None:
        return None
    return (*shape[:dim], Axis(shapes.graph.terms.const(len(parts))), *shape[dim:])


def _cat(shapes: Shapes, term: Term) -> Shape | None:
    parts = items(term.args[0])
    shape = next((s for s in map(shapes.of, parts or ()) if s is not None), None)
    dim = None if shape is None else dimension(term, 1, len(shape))
    if shape is None or dim is None:
        return None
    return (*shape[:dim], Axis(None, shape[dim].role), *shape[dim + 1 :])


def _rearrange(shapes: Shapes, term: Term) -> Shape | None:
    parsed = pattern(term)
    if parsed is None:
        return None
    left, right = parsed
    source = shapes.of(term.args[0])
    channel = shapes.channel(term.args[0])
    given = dict(zip(term.args[2], term.args[3:]))
    axes: dict[str, Axis] = {}
    for number, group in enumerate(left):
        role, size = "", None
        if source is not None and len(source) == len(left):
            role, size = source[number].role, source[number].size
        elif channel is not None:
            role = "channel" if number == channel % len(left) else "outer"
        for name in group:
            own = given.get(name)
            axes[name] = Axis(own if own is not None else size if len(group) == 1 else None, role)
    made: list[Axis] = []
    for group in right:
        if group in ([recipes.ELLIPSIS], [recipes.MERGED]):
            return None
        parts = [axes.get(name, Axis(given.get(name))) for name in group]
        if len(parts) == 1:
            made.append(parts[0])
        elif not parts:
            made.append(Axis(shapes.graph.terms.const(1)))
        else:
            roles = {part.role for part in parts}
            made.append(Axis(None, roles.pop() if len(roles) == 1 else "mixed", len(parts)))
    return tuple(made)


#: Shape inference of each operation that only rearranges axes.
REARRANGED: dict[str, Callable[[Shapes, Term], Shape | None]] = {
    "transpose": _transpose,
    "mT": _mT,
    "t": _t,
    "permute": _permute,
    "reshape": _reshape,
    "flatten": _flatten,
    "unflatten": _unflatten,
    "unsqueeze": _unsqueeze,
    "squeeze": _squeeze,
    "expand": _expand,
    "repeat": _repeat,
    "expand_as": _expand_as,
    "repeat_interleave": _repeat_interleave,
    "item": _item,
    "getitem": _getitem,
    "stack": _stack,
    "cat": _cat,
    "rearrange": _rearrange,
    "view": _reshape,
    "einops_repeat": _rearrange,
}
