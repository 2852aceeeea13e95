"""Splits paths at a lookup in a dict of functions, classes or layers, `ACTIVATIONS[name]`: one test for each key.

These are the same tests that `name == "relu"` makes, so a layer chosen by name and a branch on the name correlate. The
members of an enum, `Activation(name)`, are such a table as well.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import comparisons, dynamic_names, enums, lookup, mappings
from .class_value import ClassValue
from .guards import ALWAYS, both
from .joins import join
from .values import (
    ABSENT,
    Bound,
    Constant,
    FunctionValue,
    Instance,
    Native,
    OpValue,
    Phi,
    Scalar,
    Sequence_,
    Symbol,
    Tensor,
    TorchModule,
    Unknown,
    Value,
    present,
)

if TYPE_CHECKING:
    import ast
    from collections.abc import Sequence

    from .guards import Guard
    from .run import Run
    from .values import Mapping_

#: A table with more keys than this is split by the default key at most.
_NAMES = 8
#: A tuple with more elements than this is not split.
_PLACES = 4
_CALLABLES = (Bound, ClassValue, FunctionValue, Native, OpValue, Symbol)
_TOLD_APART = (*_CALLABLES, Instance, Sequence_, TorchModule)


def _under(run: Run, mapping: Mapping_, name: str) -> Value:
    return present(run.state.get((mapping, ("key", name)))) or Unknown()


def chosen(run: Run, mapping: Mapping_, key: Value, at: ast.AST) -> Value | None:
    """The value under a key that is not known: every entry, on paths of its own; None if the table is not split."""
    if isinstance(key, Phi):
        return run.each(
            key, lambda atom: chosen(run, mapping, atom, at) or mappings.get_key(run, mapping, atom)
        )
    if mapping.kind not in ("dict", "ModuleDict") or not isinstance(key, (Scalar, Unknown)):
        return None
    if len(mapping.keys) > _NAMES:
        default = key.default if isinstance(key, Scalar) else None
        if ("key", default) not in mapping.keys:
            return None
        return dynamic_names.by_default(run, key, at, lambda name: _under(run, mapping, name))
    found: list[tuple[object, Value]] = []
    for name in mapping.keys:
        if run.state.get((mapping, name)) is ABSENT:
            continue
        value = present(run.state.get((mapping, name)))
        if not isinstance(name, tuple) or not isinstance(value, _TOLD_APART):
            return None
        found.append((name[1], value))
    return _by_key(run, found, key, at) if len(found) > 1 else None


def at_index(run: Run, items: Sequence[Value], index: Value, at: ast.AST) -> Value | None:
    """The class or function at an index that is not known: each, on paths of its own; None if they are not split."""
    if not 1 < len(items) <= _PLACES or not isinstance(index, (Scalar, Unknown, Tensor)):
        return None
    if not all(isinstance(item, _CALLABLES) for item in items):
        return None
    return _by_key(run, list(enumerate(items)), index, at)


def member(run: Run, cls: ClassValue, key: Value, at: ast.AST, by_name: bool = False) -> Value:
    """`Activation("relu")`, the member of an enum with this value, or `Activation["RELU"]` with this name.

    Of a value that is not known each member, on paths of its own.
    """
    if isinstance(key, Instance) and key.cls is cls:
        return key
    found: list[tuple[object, Value]] = []
    for name in enums.names(cls):
        one = lookup.find(run, cls.order(), name) or Unknown()
        held = run.state.get((one, "value")) if isinstance(one, Instance) else one
        if by_name or isinstance(held, Constant):
            found.append((name if by_name or not isinstance(held, Constant) else held.value, one))
    if isinstance(key, Constant):
        return next((one for value, one in found if value == key.value), Unknown())
    is_open = isinstance(key, (Scalar, Unknown)) and len(enums.names(cls)) == len(found) <= _NAMES
    return _by_key(run, found, key, at) if is_open and len(found) > 1 else Unknown()


def _by_key(run: Run, found: Sequence[tuple[object, Value]], key: Value, at: ast.AST) -> Value:
    """Each of the values on the paths where `key` is its key."""
    path = run.path
    rest: Guard = ALWAYS
    results: list[tuple[Guard, Value]] = []
    for name, value in found[:-1]:
        # An unknown number of which some is subtracted may be a tensor; as an index it is a number.
        same = run.test(("at", key, name)) if isinstance(key, Tensor) else None
        taken, other = run.split(same or comparisons.compare(run, "==", key, Constant(name), at))
        results.append((both(path, both(rest, taken)), value))
        rest = both(rest, other)
    results.append((both(path, rest), found[-1][1]))  # any other name raises a KeyError
    return join([(guard, value) for guard, value in results if guard])
