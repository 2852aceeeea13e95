"""Builds records: named tuples, and `types.SimpleNamespace`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import containers
from .values import Unknown

if TYPE_CHECKING:
    import ast
    from collections.abc import Mapping, Sequence

    from .run import Run
    from .values import Value


def record(run: Run, fields: Sequence[str], args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    """A named tuple: its elements can be read by name too."""
    given = {**dict(zip(fields, args)), **kwargs}
    made = containers.make(run, "tuple", [given.get(name, Unknown()) for name in fields])
    for name in fields:
        if name in given:
            run.state.slots[(made, "member", name)] = given[name]
    return made


def namespace(run: Run, args: Sequence[Value], kwargs: Mapping[str, Value], at: ast.AST) -> Value:
    """types.SimpleNamespace(a=…): an object with these attributes."""
    made = Unknown()
    for name, value in kwargs.items():
        run.set_member(made, name, value)
    return made
