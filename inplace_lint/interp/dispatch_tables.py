"""Splits paths at a lookup in a dict of functions, classes or layers, `ACTIVATIONS[name]`: one test for each key.

These are the same tests that `name == "relu"` makes, so a layer chosen by name and a branch on the name correlate.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import comparisons, dynamic_names, mappings
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
    TorchModule,
    Unknown,
    Value,
    present,
)

if TYPE_CHECKING:
    import ast

    from .guards import Guard
    from .run import Run
    from .values import Mapping_

#: A table with more keys than this is split by the default key at most.
_NAMES = 8
_TOLD_APART = (
    Bound,
    ClassValue,
    FunctionValue,
    Instance,
    Native,
    OpValue,
    Sequence_,
    Symbol,
    TorchModule,
)


def _under(run: Run, mapping: Mapping_, name: str) -> Value:
    return present(run.state.get((mapping, ("key", name)))) or Unknown()


def chosen(run: Run, mapping: Mapping_, key: Value, at: ast.AST) -> Value | None:
    """The value under a key that is not known: every entry, on paths of its own; None if the table is not split."""
    if isinstance(key, Phi) and any(isinstance(atom, (Scalar, Unknown)) for _, atom in key.alternatives):
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
    if len(found) < 2:
        return None
    path = run.path
    rest: Guard = ALWAYS
    results: list[tuple[Guard, Value]] = []
    for name, value in found[:-1]:
        taken, other = run.split(comparisons.compare(run, "==", key, Constant(name), at))
        results.append((both(path, both(rest, taken)), value))
        rest = both(rest, other)
    results.append((both(path, rest), found[-1][1]))  # any other name raises a KeyError
    return join([(guard, value) for guard, value in results if guard])
