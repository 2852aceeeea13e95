"""What an attribute of something is, by what that is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..torchmodel import table
from ..torchmodel.spelling import canonical
from . import construct, effects
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
    Store,
    Symbol,
    shadow,
    united,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from .atoms import Atom, Sketched
    from .expressions import Scope


def fresh(grad: bool = True) -> Sketched:
    """Something new of which nothing is known."""
    store = Store(grad)
    store.sources = ()
    return (Cell(store),)


def member(cell: Cell, key: object) -> Sketched:
    """What is held under a key, or as an attribute, of something unknown: the same each time."""
    store = cell.store
    members = store.opened()
    known = members.get(key)
    if known is None:
        part = Store(store.grad)
        part.evident = store.evident
        part.sources = ()
        part.outside = store.outside or bool(store.given)
        known = members[key] = (Cell(part),)
    return known


def attribute(scope: Scope, value: Sketched, name: str) -> Sketched:
    """value.name."""
    if len(value) == 1:
        action = ATTRIBUTES.get(type(value[0]))
        return (Method(value[0], name),) if action is None else action(scope, value[0], name)
    return united([attribute(scope, (atom,), name) for atom in value])


def _of_symbol(scope: Scope, symbol: Symbol, name: str) -> Sketched:
    return (Symbol(canonical(f"{symbol.dotted}.{name}")),)


def _of_file(scope: Scope, file: File, name: str) -> Sketched:
    return scope.names_of(file.module, name)


def _of_layer(scope: Scope, layer: Layer, name: str) -> Sketched:
    if name in ("weight", "bias") or name.startswith(("weight_", "bias_")):
        return (Cell(layer.weights),)
    if name.startswith("running_"):
        return fresh(grad=False)
    declared = f"{layer.name}.{name}"
    if scope.sketches.declared.function(declared, scope.module) is not None:
        return (Symbol(declared),)
    return (Method(layer, name),)


def _of_box(scope: Scope, box: Box, name: str) -> Sketched:
    if name in box.fields and (box.ordered or box.role):  # a dict has none of its keys
        return box.items[box.fields.index(name)]
    return (Method(box, name),)


def _of_cell(scope: Scope, cell: Cell, name: str) -> Sketched:
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


def _of_project(scope: Scope, atom: Object | Class, name: str) -> Sketched:
    """The first object or class of the project that is asked: from then on `construct` is asked at once."""
    ATTRIBUTES.update({Object: construct.of_object, Class: construct.of_class})
    return ATTRIBUTES[type(atom)](scope, atom, name)


def _contents(scope: Scope, obj: Object) -> Sketched:
    CONTENTS[Object] = construct.part
    return construct.part(scope, obj)


#: What stands for something that is indexed or iterated over.
CONTENTS: dict[type[Atom], Callable[[Any, Any], Sketched]] = {Object: _contents}
#: How an attribute of something is looked up.
ATTRIBUTES: dict[type[Atom], Callable[[Any, Any, str], Sketched]] = {
    Symbol: _of_symbol,
    Cell: _of_cell,
    Box: _of_box,
    File: _of_file,
    Layer: _of_layer,
    Object: _of_project,
    Class: _of_project,
}

_PLAIN = frozenset("shape dtype device ndim requires_grad is_cuda itemsize nbytes layout".split())


def as_value(scope: Scope, value: Sketched) -> Sketched:
    """A value in which what was looked up on something unknown counts as an attribute of it."""
    for atom in value:
        if isinstance(atom, Method):
            break
    else:
        return value
    found: list[Sketched] = []
    for atom in value:
        if not isinstance(atom, Method):
            found.append((atom,))
        elif isinstance(atom.receiver, Cell):
            found.append(member(atom.receiver, atom.name))
    return united(found)
