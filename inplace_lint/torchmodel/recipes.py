"""Models einops: expands a pattern into the torch operations that einops runs for it, in order.

`rearrange(x, 'b n (h d) -> b h n d', h=h)` is a `view` that splits an axis, then a `permute`. Each step is a
method of torch.Tensor whose facts the op table has; the order is that of einops' `_apply_recipe`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

#: The torch method for each reduction that einops accepts by name.
REDUCTIONS = {
    "mean": "mean",
    "sum": "sum",
    "max": "amax",
    "min": "amin",
    "prod": "prod",
    "any": "any",
    "all": "all",
}
#: Reductions whose torch method takes one axis at a time.
_ONE_BY_ONE = frozenset(["prod", "any", "all"])

ELLIPSIS = "..."
#: An ellipsis in parentheses: its axes are merged into one.
MERGED = "(...)"

#: The memory of a step's result: its input's; its input's if the first tensor was contiguous, else maybe a copy; a copy
#: if that was contiguous, else maybe not; always a copy of the elements; a new tensor.
SHARED, SHARED_IF_WHOLE, COPIED_IF_WHOLE, COPIED, NEW = range(5)


class Step:
    """One operation: the method's name, its argument (sizes or axes; None for an unknown one), its result's memory.

    A step without a name calls the reduction that was passed as a function, with the tensor and these axes.
    """

    __slots__ = ("argument", "memory", "name")

    def __init__(
        self, name: str, argument: tuple[int | None, ...] | int | None, memory: int = SHARED
    ) -> None:
        self.name = name
        #: None if even the number of axes is unknown
        self.argument = argument
        self.memory = memory

    def __repr__(self) -> str:
        return f"{self.name}{self.argument}"


def groups(side: str) -> list[list[str]]:
    """The groups of axes on one side of a pattern: one per parenthesis or name; `1` is an empty group."""
    found: list[list[str]] = []
    inside: list[str] | None = None
    for word in side.replace("…", ELLIPSIS).replace("(", " ( ").replace(")", " ) ").split():
        if word == "(":
            inside = []
        elif word == ")":
            found.append(inside or [])
            inside = None
        elif inside is not None:
            if word != "1":
                inside.append(MERGED if word == ELLIPSIS else word)
        else:
            found.append([] if word == "1" else [word])
    return found


def sides(pattern: str) -> tuple[list[list[str]], list[list[str]]] | None:
    """The groups of axis names on both sides of a pattern."""
    left, arrow, right = pattern.partition("->")
    return (groups(left), groups(right)) if arrow else None


def merges_across(pattern: str, axis: int) -> bool:
    """Whether a pattern merges axes that lie on both sides of the place before this axis of its left side."""
    both = sides(pattern)
    if both is None or not -len(both[0]) <= axis < len(both[0]):
        return True
    left, right = both
    if [ELLIPSIS] in (left[: axis + 1] if axis >= 0 else left[axis:]):
        return True  # which group the axis is in is not known
    ahead = {name for group in left[: axis % len(left)] for name in group}
    return any(0 < len(ahead.intersection(group)) < len(group) for group in right)


def recipe(
    pattern: str, lengths: Mapping[str, int | None], reduction: str | None = None
) -> list[Step] | None:
    """The steps of `rearrange`, `repeat` or `reduce`; `reduction` names the operation, "" stands for a function."""
    both = sides(pattern)
    if both is None:
        return None
    left = [[_own_name(name, i, j) for j, name in enumerate(group)] for i, group in enumerate(both[0])]
    right = [[ELLIPSIS if name == MERGED else name for name in group] for group in both[1]]
    before = [name for group in left for name in group]
    after = [name for group in right for name in group]
    sizes = {name: _size(name, lengths) for name in (*before, *after)}
    kept = [name for name in after if name in before]
    reduced = [name for name in before if name not in after]
    if (reduced and reduction is None) or (len(set(before)) < len(before)):
        return None
    if not {*before, *after, "tensor", "pattern", "reduction"}.issuperset(lengths):
        return None  # a length is given for an axis that the pattern does not name
    known = ELLIPSIS not in before
    steps: list[Step] = []
    if any(len(group) != 1 for group in left):
        steps.append(Step("view", _all(sizes, before)))
    order = [before.index(name) for name in (*kept, *reduced)]
    if order != sorted(order):
        steps.append(Step("permute", tuple(order) if known else None))
    steps += _reductions(reduction, reduced)
    added = [name for name in after if name not in before]
    if added:
        steps += [Step("unsqueeze", after.index(name) if known else None) for name in added]
        steps.append(Step("expand", tuple(sizes[n] if n in added else -1 for n in after) if known else None))
    if any(len(group) != 1 for group in right) or any(MERGED in group for group in both[1]):
        memory = max([_memory(group, before, sizes, added) for group in right], default=SHARED)
        shape = None if ELLIPSIS in after else tuple(_product(sizes, group) for group in right)
        steps.append(Step("view" if memory == SHARED else "reshape", shape, memory))
    return steps


def _own_name(name: str, group: int, place: int) -> str:
    """Gives each number on the left side a name of its own: two equal numbers are two axes."""
    return f"{name}@{group}.{place}" if name.isdecimal() else name


def _size(name: str, lengths: Mapping[str, int | None]) -> int | None:
    number = name.partition("@")[0]
    return int(number) if number.isdecimal() else lengths.get(name)


def _all(sizes: Mapping[str, int | None], names: Sequence[str]) -> tuple[int | None, ...] | None:
    return None if ELLIPSIS in names else tuple(sizes[name] for name in names)


def _product(sizes: Mapping[str, int | None], group: Sequence[str]) -> int | None:
    product: int | None = 1
    for name in group:
        size = sizes[name]
        product = None if size is None or product is None else product * size
    return product


def _reductions(reduction: str | None, reduced: Sequence[str]) -> list[Step]:
    """The steps that reduce these axes, which a permutation has moved to the end."""
    if not reduced:
        return []
    name = REDUCTIONS.get(reduction or "", "")
    axes = None if ELLIPSIS in reduced else tuple(range(-len(reduced), 0))
    if name in _ONE_BY_ONE and axes is not None:
        return [Step(name, -1, NEW) for _ in axes]
    return [Step(name, axes, NEW)]


def _memory(
    group: Sequence[str], before: Sequence[str], sizes: Mapping[str, int | None], added: Sequence[str]
) -> int:
    """The memory of the result when these axes merge into one; `before` is the order of the axes at the start."""
    axes = [name for name in group if sizes[name] != 1]
    if len(axes) < 2 and (not axes or axes[0] != ELLIPSIS):
        return SHARED
    if any(name in added for name in axes):
        return COPIED
    places = [before.index(name) for name in axes]
    side_by_side = places == list(range(places[0], places[0] + len(places)))
    return SHARED_IF_WHOLE if side_by_side else COPIED_IF_WHOLE


def equation(pattern: str) -> str | None:
    """Translates a pattern of einops' einsum, whose axes have names, to an equation of torch.einsum."""
    left, arrow, right = pattern.partition("->")
    letters: dict[str, str] = {}
    written = [_letters(side, letters) for side in (*left.split(","), right)]
    if not arrow or None in written:
        return None
    return f"{','.join(side for side in written[:-1] if side is not None)}->{written[-1]}"


_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"


def _letters(side: str, letters: dict[str, str]) -> str | None:
    found = ""
    for word in side.split():
        if word == ELLIPSIS:
            found += word
        elif not word.isidentifier() or (word not in letters and len(letters) >= len(_LETTERS)):
            return None
        else:
            found += letters.setdefault(word, _LETTERS[len(letters)] if len(letters) < len(_LETTERS) else "")
    return found


def mix(pattern: str, weight_shape: str) -> tuple[str, str, str] | None:
    """The steps of the EinMix layer: an input pattern, an equation with the weight, and a result pattern."""
    left, arrow, right = pattern.partition("->")
    if not arrow:
        return None
    flat = [" ".join(n for g in groups(side) for n in g).replace(MERGED, ELLIPSIS) for side in (left, right)]
    made = equation(f"{flat[0]}, {weight_shape} -> {flat[1]}")
    return None if made is None else (f"{left} -> {flat[0]}", made, f"{flat[1]} -> {right}")
