"""Decides which sizes of a call can vary: its batch `B` and its length `S`, each tested by running at twice that."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from torch.utils._pytree import tree_iter, tree_map

from .call import Call
from .objects import integers
from .trial import attempt
from .values import Dim, Size, Spec, put

#: A length at which memory that grows with its square is far above all other.
LONG = 256
#: Tells whether the axis of a tensor at a place is meant.
_Change = Callable[[Spec, int], bool]


def with_sizes(call: Call) -> Call:
    """Returns the call with named sizes `B` and `S` only where the target runs at twice that size.

    If twice the length fails, a constructor argument of that value, such as a table's size, is made to follow `S`. If
    no `S` is left, `with_length` looks for another axis to vary.
    """
    for name in ("B", "S"):
        if name in call.names and not _runs(call.at(**{name: 2 * call.sizes[name]})):
            following = _following(call, 2 * call.sizes["S"]) if name == "S" else None
            call = following if following is not None else _fixed(call, name)
    if "S" not in call.names:
        call = with_length(call)
    return call


def _runs(call: Call) -> bool:
    return attempt(call)[0] is None


def _following(call: Call, length: int) -> Call | None:
    """Makes a constructor argument that bounds the length follow it, such as `max_len=64`, so that `length` runs.

    Objects among the arguments are looked into. None if no argument helps.
    """
    now = call.sizes["S"]
    bounds = {name: value for name, value in integers(call.target, call.constructor).items() if value >= now}
    for name, value in sorted(bounds.items(), key=lambda one: one[1] != now):
        times = -(-value // now)
        size = Size("S" if times == 1 else f"{times}*S")
        other = replace(call, constructor=put(call.constructor, name, size))
        if _runs(other) and _runs(other.at(S=length)):
            return other
    return None


def _fixed(call: Call, name: str) -> Call:
    size = call.sizes[name]
    return _mapped(call, lambda spec, place: spec.dims[place] == name, size)


def with_length(call: Call) -> Call:
    """Names a length `S` among fixed sizes: two equal neighbouring axes, else the last but one, else the last.

    All axes of that size are named, or if so it does not run, as when the width has the same size, the one axis alone.
    """
    for pick in (_equal_sides, _before_last, _last_axis):
        chosen = pick(call)
        if chosen is None:
            continue
        size, place = chosen
        named = [_mapped(call, change).at(S=size) for change in (_everywhere(size), _at(size, place))]
        named = [other for other in named if "S" in other.names and _runs(other)]
        for other in named:
            if _runs(other.at(S=2 * size)):
                return other
        for other in reversed(
            named
        ):  # where the width would follow too, the axis alone is likelier the length
            longer = _following(other, 2 * size)
            if longer is not None:
                return longer
    return call


def lengthened(call: Call) -> Call:
    """Returns the call with a length `S` that can vary, up to LONG if an argument bounds it; else as it is."""
    if call.factory is not None or call.source == "file":
        return call
    call = call if "S" in call.names else with_length(call)
    is_map = any(spec.floating and spec.dims.count("S") > 1 for spec in _specs(call))
    if "S" not in call.names or is_map or call.sizes["S"] >= LONG or _runs(call.at(S=LONG)):
        return call
    return _following(call, LONG) or call


def is_length(call: Call) -> bool:
    """Whether `S` is the length of a sequence, as far as its place tells: the last axis of floats may be the width."""
    return call.factory is not None or any(
        dim == "S" and (not spec.floating or place < len(spec.dims) - 1)
        for spec in _specs(call)
        for place, dim in enumerate(spec.dims)
    )


def _everywhere(size: int) -> _Change:
    return lambda spec, place: spec.dims[place] == size


def _at(size: int, place: int) -> _Change:
    """Names the axis at a place from the end in floats; masks and indices have no width, there all that fit."""
    return lambda spec, own: (
        spec.dims[own] == size and (not spec.floating or len(spec.dims) < 3 or own == len(spec.dims) + place)
    )


def _equal_sides(call: Call) -> tuple[int, int] | None:
    for spec in _specs(call):
        for first, second in zip(spec.dims[1:], spec.dims[2:]):
            if len(spec.dims) >= 4 and first == second and isinstance(first, int) and first > 1:
                return first, -2
    return None


def _before_last(call: Call) -> tuple[int, int] | None:
    for spec in _specs(call):
        if len(spec.dims) >= 3 and isinstance(spec.dims[-2], int) and spec.dims[-2] > 1:
            return spec.dims[-2], -2
    return None


def _last_axis(call: Call) -> tuple[int, int] | None:
    for spec in _specs(call):
        if len(spec.dims) >= 2 and isinstance(spec.dims[-1], int) and spec.dims[-1] > 1:
            return spec.dims[-1], -1
    return None


def _specs(call: Call) -> list[Spec]:
    leaves = tree_iter((call.leading, dict(call.arguments)), is_leaf=lambda leaf: isinstance(leaf, Spec))
    return [one for one in leaves if isinstance(one, Spec)]


def _mapped(call: Call, chosen: _Change, to: Dim = "S") -> Call:
    def one(value: Any) -> Any:
        if not isinstance(value, Spec):
            return value
        dims = tuple(to if chosen(value, place) else dim for place, dim in enumerate(value.dims))
        return Spec(value.dtype, dims, value.high)

    leading, arguments = tree_map(
        one, (call.leading, dict(call.arguments)), is_leaf=lambda leaf: isinstance(leaf, Spec)
    )
    return replace(call, leading=leading, arguments=arguments)
