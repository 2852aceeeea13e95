"""Decides which sizes of a call can vary: its batch `B` and its length `S`, each tested by running at twice that."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from torch.utils._pytree import tree_iter, tree_map

from .call import Call
from .trial import attempt
from .values import Size, Spec


def with_sizes(call: Call) -> Call:
    """Returns the call with named sizes `B` and `S` only where the target runs at twice that size.

    If twice the length fails, a constructor argument of that value, such as a table's size, is made to follow `S`. If
    no `S` is left, `with_length` looks for another axis to vary.
    """
    for name in ("B", "S"):
        if name in call.names and not _runs(call.at(**{name: 2 * call.sizes[name]})):
            following = _following(call) if name == "S" else None
            call = following if following is not None else _fixed(call, name)
    if "S" not in call.names:
        call = with_length(call)
    return call


def _runs(call: Call) -> bool:
    return attempt(call)[0] is None


def _following(call: Call) -> Call | None:
    """Makes a constructor argument that equals the length follow it, such as `max_len=64`; None if none helps."""
    length = call.sizes["S"]
    for name, value in call.constructor.items():
        if value == length and not isinstance(value, bool):
            other = replace(call, constructor={**call.constructor, name: Size("S")})
            if _runs(other.at(S=2 * length)):
                return other
    return None


def _fixed(call: Call, name: str) -> Call:
    size = call.sizes[name]
    return _mapped(call, lambda dim: size if dim == name else dim)


def with_length(call: Call) -> Call:
    """Names a length `S` among fixed sizes: two equal neighbouring axes, else the last but one, else the last."""
    for pick in (_equal_sides, _before_last, _last_axis):
        chosen = pick(call)
        if chosen is None:
            continue
        other = _mapped(call, lambda dim, chosen=chosen: "S" if dim == chosen else dim).at(S=chosen)
        if "S" in other.names and _runs(other) and _runs(other.at(S=2 * chosen)):
            return other
    return call


def _equal_sides(call: Call) -> int | None:
    for spec in _specs(call):
        for first, second in zip(spec.dims[1:], spec.dims[2:]):
            if len(spec.dims) >= 4 and first == second and isinstance(first, int) and first > 1:
                return first
    return None


def _before_last(call: Call) -> int | None:
    for spec in _specs(call):
        if len(spec.dims) >= 3 and isinstance(spec.dims[-2], int) and spec.dims[-2] > 1:
            return spec.dims[-2]
    return None


def _last_axis(call: Call) -> int | None:
    for spec in _specs(call):
        if len(spec.dims) >= 2 and isinstance(spec.dims[-1], int) and spec.dims[-1] > 1:
            return spec.dims[-1]
    return None


def _specs(call: Call) -> list[Spec]:
    leaves = tree_iter((call.leading, dict(call.arguments)), is_leaf=lambda leaf: isinstance(leaf, Spec))
    return [one for one in leaves if isinstance(one, Spec)]


def _mapped(call: Call, change: Any) -> Call:
    def one(value: Any) -> Any:
        if isinstance(value, Spec):
            return Spec(value.dtype, tuple(change(dim) for dim in value.dims), value.high)
        return value

    leading, arguments = tree_map(
        one, (call.leading, dict(call.arguments)), is_leaf=lambda leaf: isinstance(leaf, Spec)
    )
    return replace(call, leading=leading, arguments=arguments)
