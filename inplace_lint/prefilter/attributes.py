"""Looks up `value.name` on each kind of abstract value."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..torchmodel import table
from . import bindings, construct, effects
from .atoms import (
    NOTHING,
    UNKNOWN,
    Box,
    Cell,
    Class,
    File,
    Layer,
    Method,
    Object,
    Symbol,
    fresh,
    shadow,
    united,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from .atoms import Atom, Atoms
    from .expressions import Scope


def attribute(scope: Scope, value: Atoms, name: str) -> Atoms:
    """value.name."""
    if len(value) == 1:
        atom = value[0]
        action = _ATTRIBUTES.get(type(atom))
        if action is not None:
            return action(scope, atom, name)
        if isinstance(atom, Object):
            return construct.of_object(scope, atom, name)
        if isinstance(atom, Class):
            return construct.of_class(scope, atom, name)
        return (Method(atom, name),)
    return united([attribute(scope, (atom,), name) for atom in value])


def _of_symbol(scope: Scope, symbol: Symbol, name: str) -> Atoms:
    return bindings.of_dotted(scope.prefilter, scope.module, symbol.dotted, name)


def _of_file(scope: Scope, file: File, name: str) -> Atoms:
    return scope.names_of(file.module, name)


def _of_layer(scope: Scope, layer: Layer, name: str) -> Atoms:
    if name in ("weight", "bias") or name.startswith(("weight_", "bias_")):
        return (Cell(layer.weights),)
    if name.startswith("running_"):
        return fresh(grad=False)
    declared = f"{layer.name}.{name}"
    if scope.prefilter.declared.function(declared, scope.module) is not None:
        return (Symbol(declared),)
    return (Method(layer, name),)


def _of_box(scope: Scope, box: Box, name: str) -> Atoms:
    if name in box.fields and (box.ordered or box.role):  # a dict does not have its keys as attributes
        return box.items[box.fields.index(name)]
    return (Method(box, name),)


def _of_cell(scope: Scope, cell: Cell, name: str) -> Atoms:
    if scope.dry:
        return UNKNOWN
    store = cell.store
    if store.members is not None and name in store.members:
        return store.members[name]
    if name == "data":
        return (shadow(cell),)
    if name == "grad":
        return fresh(grad=False)
    op = table.property_(name)
    if op is not None:
        return effects.apply(scope, op, [(cell,)], [], {}, proves=True)
    if name in _PLAIN:
        if name == "requires_grad":
            store.prove()
        return NOTHING
    if table.method(name) is not None or not store.tensor:
        return (Method(cell, name),)
    return NOTHING if table.exists_method(name) else (Method(cell, name),)


#: The look-up for each kind of atom that is not a project object or class; `construct` handles those.
_ATTRIBUTES: dict[type[Atom], Callable[[Any, Any, str], Atoms]] = {
    Symbol: _of_symbol,
    Cell: _of_cell,
    Box: _of_box,
    File: _of_file,
    Layer: _of_layer,
}

_PLAIN = frozenset("shape dtype device ndim requires_grad is_cuda itemsize nbytes layout".split())
