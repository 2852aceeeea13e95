"""Joins the values of a name where paths meet, when the name is read: to a `Phi`, or widened to one unknown value."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .graph import Node
from .guards import both, either
from .values import Constant, Phi, Tensor, TorchModule, Unknown, Value, alternatives

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .guards import Guard

#: A join of more alternatives than this is widened, to bound the cost of each use.
_ALTERNATIVES = 12
#: So many joins may wait for each other, each for one value of the next.
_NESTED = 50


class Unread(Value):
    """A join that is made when it is read: most names and attributes that paths set are not read behind them.

    Only a state holds it (`frames.State`).
    """

    __slots__ = ("depth", "serial", "value", "values")

    def __init__(self, values: Sequence[tuple[Guard, Value]], depth: int) -> None:
        Node.made += 1
        self.serial = Node.made
        self.values = values
        self.depth = depth
        self.value: Value | None = None

    def read(self) -> Value:
        """The join itself."""
        if self.value is None:
            self.value = join([(guard, read(value)) for guard, value in self.values], self.serial)
            self.values = ()
        return self.value


def read(value: Value) -> Value:
    """The value of what a state holds."""
    return value.read() if type(value) is Unread else value


def later(values: Sequence[tuple[Guard, Value]]) -> Value:
    """The join of guarded values of a state, put off until it is read."""
    first = values[0][1]
    if all(value is first for _, value in values):
        return first
    depth = max([value.depth for _, value in values if type(value) is Unread], default=0) + 1
    unread = Unread(values, depth)
    return unread if depth < _NESTED else unread.read()


def join(values: Sequence[tuple[Guard, Value]], serial: int = 0) -> Value:
    """The join of guarded values: equal ones are merged, and too many are widened to one unknown value.

    `serial`: when the value is taken to be made, if not now.
    """
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
        flat = _with_one_unknown(flat, serial)
    if not flat or len(flat) > _ALTERNATIVES:
        lost = _unknown(serial)
        lost.nodes = [(guard, atom) for guard, atom in flat.values() if isinstance(atom, Tensor)]
        lost.returned = bool(lost.nodes)
        # The graph is unknown only as far as that of an alternative is.
        lost.behind = max((atom.behind for _, atom in flat.values() if isinstance(atom, Unknown)), default=0)
        return lost
    return Phi(tuple(flat.values()))


def _unknown(serial: int) -> Unknown:
    """A value of unknown kind; `serial`: when it is taken to be made, if not now."""
    made = Unknown()
    if serial:
        made.serial = made.behind = serial
    return made


def _with_one_unknown(flat: dict[int, tuple[Guard, Value]], serial: int) -> dict[int, tuple[Guard, Value]]:
    """The alternatives with all unknown values merged into one, and layers without weights by configuration."""
    merged: dict[int, tuple[Guard, Value]] = {}
    unknown = _unknown(serial)
    #: by tensor: joins of joins have the same ones again and again
    behind: dict[Tensor, Guard] = {}
    for guard, atom in flat.values():
        key = id(atom)
        if isinstance(atom, Unknown):
            for at, tensor in [(guard, atom.tensor)] if atom.tensor is not None else atom.nodes:
                behind[tensor] = either(behind[tensor], at) if tensor in behind else at
            key, atom = id(unknown), unknown
        elif isinstance(atom, TorchModule) and atom.weights is None:
            config = [(name, getattr(value, "value", value)) for name, value in sorted(atom.config.items())]
            key = hash((atom.name, repr(config)))
        known = merged.get(key)
        merged[key] = (guard if known is None else either(known[0], guard), atom)
    unknown.nodes = [(guard, tensor) for tensor, guard in behind.items()]
    unknown.returned = bool(behind)
    return merged
