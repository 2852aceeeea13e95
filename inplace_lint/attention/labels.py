"""Tracks axis labels through permutations and products, and recognises a softmax written as exp(x) / sum(exp(x))."""

from __future__ import annotations

from dataclasses import replace

from .axes import permutation
from .notation import pattern
from .site import Operand
from .terms import Term, integer, is_const

#: Stands for leading axes whose number is unknown.
REST = "..."


def softmax_input(term: Term) -> Term | None:
    """The argument of a softmax, called or written out; None for any other term."""
    if term.op == "softmax":
        return term.first
    found = softmax_of_exp(term)
    return None if found is None else found[0]


def softmax_of_exp(term: Term) -> tuple[Term, Term] | None:
    """(argument, axis) of `exp(x - max) / sum(exp(x - max))`; None for any other term."""
    if term.op != "div" or not isinstance(term.args[1], Term):
        return None
    top, bottom = term.args[0], term.args[1]
    if top.op != "exp" or bottom.op != "sum" or bottom.args[0] is not top:
        return None
    axis = bottom.args[1]
    if axis is None or not is_const(bottom.args[2], True):
        return None
    inner = top.first
    shift = maximum_of(inner.args[1], inner.first) if inner.op == "sub" else None
    return (inner if shift is not axis else inner.first), axis


#: Operations between the scores and the maximum that is subtracted from them.
MAXIMUM = frozenset({"amax", "max", "getitem", "detach"})


def maximum_of(term: Term, of: Term) -> Term | None:
    """The axis over which `term` is the maximum of `of`, with keepdim=True; None if it is no such maximum."""
    if term.op == "detach":
        term = term.first
    if term.op == "getitem" and term.first.op == "max" and is_const(term.args[1], 0):
        term = term.first
    elif term.op != "amax":
        return None
    return term.args[1] if term.first is of and is_const(term.args[2], True) else None


def inside_of(softmax: Term) -> set[Term]:
    """The terms that make up a softmax: itself and, if it is written out, the exp, the sum and the exp's argument."""
    if softmax.op == "softmax":
        return {softmax}
    top, bottom = softmax.args[0], softmax.args[1]
    return {softmax, top, bottom, top.args[0]}


def axis_of(softmax: Term, labels: tuple[str, ...]) -> int | None:
    """The position in `labels` of the axis that a softmax runs over."""
    dim = softmax.args[1] if softmax.op == "softmax" else (softmax_of_exp(softmax) or (None, None))[1]
    number = integer(dim)
    if number is None:
        return None
    if REST in labels and number >= 0:
        # Scores of unknown rank are assumed to have three or four axes: axis 2 or 3 is the last.
        return len(labels) - 1 if number in (2, 3) else None
    if not -len(labels) <= number < len(labels) or labels[number] == REST:
        return None
    return number % len(labels)


def moved(term: Term, labels: tuple[str, ...]) -> tuple[str, ...] | None:
    """The labels after a transposition or permutation; None if the new order is unknown."""
    axes = list(labels)
    if term.op in ("mT",) or (term.op == "t" and len(axes) == 2):
        return (*labels[:-2], labels[-1], labels[-2])
    if term.op == "transpose":
        a, b = integer(term.args[1]), integer(term.args[2])
        if a is None or b is None:
            return None
        if REST in labels and {a, b} != {-1, -2}:
            return None
        if not all(-len(axes) <= one < len(axes) for one in (a, b)):
            return None
        axes[a], axes[b] = axes[b], axes[a]
        return tuple(axes)
    if term.op == "rearrange":
        return _rearranged(term, labels)
    order = permutation(term) if term.op == "permute" else None
    if order is None or REST in labels or len(order) != len(labels):
        return None
    return tuple(labels[i] for i in order)


def _rearranged(term: Term, labels: tuple[str, ...]) -> tuple[str, ...] | None:
    """The labels after an einops pattern that only permutes axes; None for any other pattern."""
    parsed = pattern(term)
    if parsed is None or any(len(group) != 1 or group == ["..."] for side in parsed for group in side):
        return None
    left, right = ([group[0] for group in side] for side in parsed)
    if sorted(left) != sorted(right) or len(left) != len(labels) or REST in labels:
        return None
    return tuple(labels[left.index(name)] for name in right)


def swapped(term: Term, labels: tuple[str, ...]) -> tuple[str, ...] | None:
    """The labels of scores of unknown rank after `transpose(1, 2)` or `(2, 3)`, read as a swap of the last two axes."""
    dims = {integer(one) for one in term.args[1:3]} if term.op == "transpose" else set()
    if REST in labels and len(labels) == 3 and dims in ({1, 2}, {2, 3}):
        return (*labels[:-2], labels[-1], labels[-2])
    return None


def permuted(before: tuple[str, ...], after: tuple[str, ...] | None) -> tuple[str, ...] | None:
    """The labels `after` if they are a permutation of `before`, else None."""
    return after if after is not None and sorted(after) == sorted(before) else None


def match(ours: tuple[str, ...], theirs: tuple[str, ...]) -> dict[str, str] | None:
    """Maps the labels of the last product to those of the weights, by position; `...` may stand for leading axes."""
    if len(ours) == len(theirs) and (REST in ours) == (REST in theirs):
        return dict(zip(theirs, ours))
    if REST in ours and ours[0] == REST and len(theirs) >= 3:
        return {theirs[-1]: ours[-1], theirs[-2]: ours[-2], **dict.fromkeys(theirs[:-2], REST)}
    return None


def spread(
    order: tuple[str, ...], own: Operand, values: Operand, output: tuple[str, ...]
) -> tuple[Operand, Operand, tuple[str, ...]]:
    """The last product's labels, with `...` replaced by the leading axes that the weights are known to have."""
    if REST not in own.labels or own.labels[0] != REST or REST in order:
        return own, values, output
    lead = tuple(f"d{number}" for number in range(len(order) - len(own.labels) + 1))

    def wide(labels: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(one for label in labels for one in (lead if label == REST else (label,)))

    return replace(own, labels=wide(own.labels)), replace(values, labels=wide(values.labels)), wide(output)
