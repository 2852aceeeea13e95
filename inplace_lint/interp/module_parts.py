"""Models the parts of a module by name: what it holds, `_modules`, and attributes of an `nn.Sequential` and its kin."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..torchmodel.spelling import MODULE_DICTS
from . import containers, inherited, mappings
from .external_modules import INHERITED
from .frames import LENGTH
from .joins import join
from .values import (
    Constant,
    Instance,
    Mapping_,
    Scalar,
    Sequence_,
    TorchModule,
    Unknown,
    Value,
    alternatives,
    flatten,
    present,
)

if TYPE_CHECKING:
    import ast

    from .run import Run

_CONTAINERS = frozenset({"Sequential", "ModuleList", "ModuleDict"})


def is_container(value: Value) -> bool:
    """Whether it is an `nn.Sequential`, `nn.ModuleList` or `nn.ModuleDict`."""
    return isinstance(value, (Sequence_, Mapping_)) and value.kind in _CONTAINERS


def held(run: Run, obj: Value) -> list[tuple[Value, Value]]:
    """The names and values of what a module holds; what an `nn.Sequential` holds that it derives from is its own."""
    found: list[tuple[Value, Value]] = []
    of_base: list[tuple[Value, Value]] = []
    for key in obj.keys if isinstance(obj, (Instance, Sequence_, Mapping_)) else ():
        value = present(run.state.get((obj, key)))
        if value is None:
            continue
        if key == INHERITED and is_container(value):
            of_base = held(run, value)
            continue
        name = key[1] if isinstance(key, tuple) and len(key) == 2 else key
        if isinstance(obj, Sequence_) and isinstance(key, int) and key < len(obj.names):
            name = obj.names[key]
        found.append((Constant(str(name)) if isinstance(name, (str, int)) else Scalar(), value))
    named = {atom for _, value in found for atom in flatten(value)}  # by the attribute that it was set to
    return [pair for pair in of_base if named.isdisjoint(flatten(pair[1]))] + found


def part(run: Run, obj: Value, name: str, at: ast.AST) -> Value:
    """The value in a module under one name."""
    if isinstance(obj, (Instance, TorchModule)):
        return run.attribute(obj, name, at)
    if isinstance(obj, Mapping_):
        return mappings.get_key(run, obj, Constant(name))
    index = inherited.place(run, obj, name) if isinstance(obj, Sequence_) else None
    return Unknown() if index is None else run.item(obj, Constant(index), at)


def attribute(run: Run, obj: Sequence_ | Mapping_, name: str, at: ast.AST) -> Value | None:
    """An attribute of a container that was set, or a module that it holds under this name; None for a method."""
    found = run.state.get((obj, "member", name))
    if found is not None:
        return found
    if is_container(obj):
        if name in MODULE_DICTS:
            return own_dict(run, obj)
        if name.isdecimal():
            return part(run, obj, name, at)
    return None


def put(run: Run, obj: Value, name: str, value: Value) -> None:
    """Models `module.name = value` for an object or container: an `nn.Sequential` runs what it holds."""
    if isinstance(obj, Instance):
        inherited.register(run, obj, name, value)
        run.put(obj, name, value)
    elif isinstance(obj, Sequence_):
        if is_container(obj) and all(inherited.is_module(atom) for atom in run.possible(value)):
            inherited.set_element(run, obj, name, value)
        run.set_member(obj, name, value)
    elif isinstance(obj, Mapping_):
        if is_container(obj):
            mappings.put_key(run, obj, Constant(name), value)
        run.set_member(obj, name, value)


def own_dict(run: Run, obj: Instance | Sequence_ | Mapping_) -> Value:
    """`obj.__dict__` and `module._modules`: a dict with what is known; what is put into it is set in the object."""
    made = Mapping_()
    run.born[made] = run.inexact
    run.state.slots[(made, LENGTH)] = Constant(0)
    for name, value in held(run, obj):
        if isinstance(name, Constant):
            mappings.put_key(run, made, name, value)
        else:
            containers.smear(run, made, value)
    made.of = obj
    return made


def at_path(run: Run, obj: Value, path: str, at: ast.AST) -> Value:
    """The value in a module under a path of names (`layers.0`); unknown if it is not found."""
    found = obj
    for name in path.split(".") if path else ():
        found = join([(guard, part(run, atom, name, at)) for guard, atom in alternatives(found)])
    return found
