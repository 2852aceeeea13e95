"""Recognises modules and optimizers that unknown code returns: `model, optimizer = prepare(model, optimizer)`.

If a result is bound to the very name of a module that went into the call, it is taken to be that module, moved or
wrapped, so that it is called and stepped as before.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .layers import is_module
from .values import (
    Mapping_,
    Optimizer,
    Sequence_,
    Unknown,
    Value,
    flatten,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence

    from .run import Run

#: How deep nested containers in the arguments are searched.
_DEPTH = 2


def note(run: Run, result: Unknown, given: Sequence[Value], is_network: Callable[[Run, Value], bool]) -> None:
    """Remember the modules and optimizers among the arguments of an unknown call, by its result.

    `is_network` tells whether an unknown value is known to be a module.
    """
    found = {atom for value in given for atom in _within(run, value, is_network, _DEPTH)}
    if found:
        run.handed.returned[result] = found


def in_place(run: Run, key: Hashable, value: Value) -> Value:
    """The value to bind to a name or attribute: its old one, if the new one came from a call that got the old one."""
    result: Value | None = value
    while isinstance(result, Unknown) and result not in run.handed.returned:
        result = result.owner
    if not isinstance(result, Unknown):
        return value
    held = run.state.get(key)
    same = held is not None and all(atom in run.handed.returned[result] for atom in flatten(held))
    return held if held is not None and same else value


def _within(run: Run, value: Value, is_network: Callable[[Run, Value], bool], depth: int) -> list[Value]:
    """The modules and optimizers in a value."""
    found: list[Value] = []
    for atom in flatten(value):
        if isinstance(atom, Optimizer) or is_module(atom) or is_network(run, atom):
            found.append(atom)
        elif depth and isinstance(atom, (Sequence_, Mapping_)):
            for element in run.elements(atom):
                found += _within(run, element, is_network, depth - 1)
    return found
