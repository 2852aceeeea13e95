"""Joins the values of a name where paths meet: into a `Phi` of guarded values, or widened to one unknown value."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .guards import both, either
from .values import Constant, Phi, Tensor, TorchModule, Unknown, alternatives

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .guards import Guard
    from .values import Value

#: A join of more alternatives than this is widened, to bound the cost of each use.
_ALTERNATIVES = 12


def join(values: Sequence[tuple[Guard, Value]]) -> Value:
    """The join of guarded values: equal ones are merged, and too many are widened to one unknown value."""
    if not values:
        return Unknown()  # no path leads here
    first = values[0][1]
    for _, value in values:
        if value is not first:
            break
    else:
        return first
    flat: dict[int, tuple[Guard, Value]] = {}
    for guard, value in values:
        for inner, atom in alternatives(value):
            condition = both(guard, inner)
            if not condition:
                continue
            key = id(atom)
            if isinstance(atom, Constant):
                key = hash(("constant", type(atom.value), repr(atom.value)))
            known = flat.get(key)
            flat[key] = (condition if known is None else either(known[0], condition), atom)
    if len(flat) == 1:
        return next(iter(flat.values()))[1]
    if len(flat) > _ALTERNATIVES:
        flat = _with_one_unknown(flat)
    if not flat or len(flat) > _ALTERNATIVES:
        lost = Unknown()
        lost.nodes = [(guard, atom) for guard, atom in flat.values() if isinstance(atom, Tensor)]
        lost.returned = bool(lost.nodes)
        # The graph is unknown only as far as that of an alternative is.
        lost.behind = max((atom.behind for _, atom in flat.values() if isinstance(atom, Unknown)), default=0)
        return lost
    return Phi(tuple(flat.values()))


def _with_one_unknown(flat: dict[int, tuple[Guard, Value]]) -> dict[int, tuple[Guard, Value]]:
    """The alternatives with all unknown values merged into one, and layers without weights by configuration."""
    merged: dict[int, tuple[Guard, Value]] = {}
    unknown = Unknown()
    for guard, atom in flat.values():
        key = id(atom)
        if isinstance(atom, Unknown):
            tensors = [(guard, atom.tensor)] if atom.tensor is not None else atom.nodes
            unknown.nodes = [*unknown.nodes, *tensors]
            unknown.returned = unknown.returned or bool(tensors)
            key, atom = id(unknown), unknown
        elif isinstance(atom, TorchModule) and atom.weights is None:
            config = [(name, getattr(value, "value", value)) for name, value in sorted(atom.config.items())]
            key = hash((atom.name, repr(config)))
        known = merged.get(key)
        merged[key] = (guard if known is None else either(known[0], guard), atom)
    return merged
