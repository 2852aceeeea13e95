"""Computes which axis of a value has stride 1; fused kernels need operands whose last axis is contiguous in memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .axes import permutation
from .notation import pattern
from .ops import VIEWS
from .terms import Term, integer, is_const, is_tensor, items

if TYPE_CHECKING:
    from .shapes import Shapes

#: Elementwise operations, whose result has the memory layout of their operand.
_SAME = frozenset(
    "mul div add sub pow neg exp sqrt tanh sigmoid relu clamp dropout masked_fill cast clone normalize detach".split()
)


#: No axis has stride 1: it was removed, as by `x[..., 0]`.
NO_AXIS = 0


def dense_axis(shapes: Shapes, term: Term) -> int | None:
    """The axis with stride 1, counted from the end (-1 is the last); None if it is unknown, `NO_AXIS` if none has.

    Results of layers and products are assumed to be contiguous.
    """
    op, args = term.op, term.args
    if op in _SAME:
        return _of_elements(shapes, term)
    if not args or not isinstance(args[0], Term) or op not in _MOVES:
        return None if op in ("opaque", "element", "phi") else -1
    inner = dense_axis(shapes, args[0])
    if inner is None:
        return None
    if inner == NO_AXIS:
        return None if op in ("reshape", "flatten", "rearrange") else NO_AXIS
    if op in ("transpose", "mT", "t", "permute"):
        return _moved(shapes, term, inner)
    if op in ("reshape", "flatten", "unflatten"):
        return _reshaped(shapes, term, inner)
    if op == "rearrange":
        return _rearranged(term, inner)
    return _picked(shapes, term, inner)


_MOVES = frozenset(
    "transpose mT t permute reshape flatten unflatten rearrange unsqueeze squeeze getitem item expand".split()
)


def _of_elements(shapes: Shapes, term: Term) -> int | None:
    """The stride-1 axis of an elementwise result: that of the operand with the most axes."""
    operands = [
        one for one in term.operands[:2] if is_tensor(one) or one.op in ("param", "item", "getitem", "call")
    ]
    ranks = [shapes.rank(one) or 0 for one in operands]
    return dense_axis(shapes, operands[ranks.index(max(ranks))]) if operands else -1


def _moved(shapes: Shapes, term: Term, inner: int) -> int | None:
    op, args = term.op, term.args
    if op in ("mT", "t"):
        return {-1: -2, -2: -1}.get(inner, inner)
    rank = shapes.rank(args[0])
    if op == "permute":
        order = permutation(term)
        return None if order is None or -inner > len(order) else order.index(inner + len(order)) - len(order)
    dims = [integer(one) for one in args[1:3]]
    if None in dims or (rank is None and any((one or 0) >= 0 for one in dims)):
        return None
    a, b = (one if one < 0 else one - (rank or 0) for one in dims if one is not None)
    return b if inner == a else a if inner == b else inner


def _reshaped(shapes: Shapes, term: Term, inner: int) -> int | None:
    """Finds the axis again by its size; a reshape that cannot keep the axis is assumed to copy."""
    if inner == -1:
        return -1
    before, after = shapes.of(term.args[0]), shapes.of(term)
    if before is None or after is None or -inner > len(before):
        return None
    size = before[inner].size
    places = [i - len(after) for i, axis in enumerate(after) if size is not None and axis.size is size]
    return places[0] if len(places) == 1 else -1


def _rearranged(term: Term, inner: int) -> int | None:
    parsed = pattern(term)
    if parsed is None or any("..." in group for side in parsed for group in side):
        return None
    left, right = parsed
    if -inner > len(left) or not left[inner]:
        return None
    name = left[inner][-1]
    places = [i - len(right) for i, group in enumerate(right) if group and group[-1] == name]
    return places[0] if places else -1


def _picked(shapes: Shapes, term: Term, inner: int) -> int | None:
    op, args = term.op, term.args
    if op == "expand":
        return inner
    rank, own = shapes.rank(args[0]), shapes.rank(term)
    if op == "item":
        whole = args[0]
        if whole.op in ("chunk", "split"):
            return dense_axis(shapes, whole.args[0])
        if whole.op == "unbind":
            return _unbound(shapes, whole)
        return NO_AXIS if rank == -inner else inner
    if op == "getitem":
        return _indexed(items(args[1]) or (args[1],), rank, inner)
    dim = integer(args[1])  # unsqueeze, squeeze
    if dim is None:
        return None
    if dim >= 0:
        if rank is None or own is None:
            return inner
        dim -= max(rank, own)
    if op == "unsqueeze":
        return inner - 1 if dim > inner and dim != -1 else inner if dim != -1 else -1
    return inner + 1 if dim > inner else inner


def _indexed(entries: tuple[Term, ...], rank: int | None, inner: int) -> int | None:
    """The stride-1 axis of `x[entries]`."""
    if any(is_const(one, None) for one in entries) or any(is_const(one, ...) for one in entries[1:]):
        return None
    if is_const(entries[0], ...):
        number = len(entries) + inner
        if number < 1:
            return inner + sum(one.op != "slice" for one in entries[1:])
    elif rank is None:
        return inner
    else:
        number = rank + inner
        if number >= len(entries):
            return inner
    entry = entries[number]
    if entry.op != "slice" or not is_const(entry.args[2], None):
        return NO_AXIS
    return inner + sum(one.op != "slice" for one in entries[number + 1 :])


def _unbound(shapes: Shapes, whole: Term) -> int | None:
    """The stride-1 axis of one element of `x.unbind(dim)`."""
    inner, rank = dense_axis(shapes, whole.args[0]), shapes.rank(whole.args[0])
    dim = 0 if len(whole.args) < 2 or whole.args[1] is None else integer(whole.args[1])
    if not inner or dim is None:
        return inner
    if dim >= 0:
        if rank is None:
            return inner
        dim -= rank
    return NO_AXIS if dim == inner else inner + 1 if dim > inner else inner


#: Operations whose result has the layout of their operand: views, and elementwise operations.
_LAID = (VIEWS | _SAME | {"element", "where", "softmax"}) - {"contiguous"}


def is_laid_as(term: Term, whole: Term, fresh: set[Term], reshaped: bool = True) -> bool:
    """Whether `term` inherits the memory layout of `whole`, from which it is computed; calls in `fresh` break that.

    A reshape often copies: `reshaped=False` assumes that it does.
    """
    kept = _LAID if reshaped else _LAID - {"reshape", "flatten"}
    stack, seen = [term], set()
    while stack:
        one = stack.pop()
        if one is whole:
            return True
        if one in seen or (one.op not in kept and (one.op != "call" or one in fresh)):
            continue
        seen.add(one)
        stack += [operand for operand in one.operands if operand.op not in ("attr", "const", "size", "shape")]
    return False


def reorder(labels: tuple[str, ...], wanted: tuple[str, ...]) -> str:
    """The source of the method call that permutes axes from `labels` to `wanted`."""
    order = [labels.index(label) for label in wanted]
    moved = [i for i, j in enumerate(order) if i != j]
    if len(moved) == 2:
        return f".transpose({moved[0]}, {moved[1]})"
    return f".permute({', '.join(map(str, order))})"


def untransposed(term: Term, rank: int | None) -> Term | None:
    """The value whose last two axes this term swaps; None if it does anything else."""
    if term.op == "mT":
        return term.first
    order = permutation(term) if term.op == "permute" else None
    if order is not None and rank == len(order) and order == [*range(rank - 2), rank - 1, rank - 2]:
        return term.first
    if term.op == "transpose":
        dims = [integer(one) for one in term.args[1:3]]
        if None in dims:
            return None
        if rank is not None:
            dims = [one % rank - rank for one in dims if one is not None]
        if sorted(one for one in dims if one is not None) == [-2, -1]:
            return term.first
    return None


def may_be_narrow(term: Term) -> bool:
    """Whether a reduction or slice on the way to a value may have left an axis of size 1."""
    for _ in range(40):
        if term.op in ("sum", "amax", "max", "opaque", "param") or (
            term.op == "call" and term.args[0].op != "attr"
        ):
            return True
        if term.op == "getitem" and not is_const(term.args[1]):
            entries = items(term.args[1]) or ()
            if any(e.op == "slice" and not all(is_const(p, None) for p in e.args) for e in entries[:-1]):
                return True
        if term.op not in _NARROWED or not term.args or not isinstance(term.args[0], Term):
            return False
        term = term.args[0]
    return False


_NARROWED = VIEWS | {"mul", "div", "add", "sub", "neg", "normalize", "dropout", "exp"}
