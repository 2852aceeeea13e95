"""Builds records: named tuples, and `types.SimpleNamespace`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import containers, lookup
from .values import Bound, Constant, Native, Symbol, Unknown

if TYPE_CHECKING:
    import ast
    from collections.abc import Mapping, Sequence

    from .class_value import ClassValue
    from .run import Run
    from .values import Value


def record(
    run: Run,
    fields: Sequence[str],
    args: Sequence[Value],
    kwargs: Mapping[str, Value],
    defaults: Mapping[str, Value] | None = None,
) -> Value:
    """A named tuple: its elements can be read by name too."""
    given = {**(defaults or {}), **dict(zip(fields, args)), **kwargs}
    made = containers.make(run, "tuple", [given.get(name, Unknown()) for name in fields])

    def replace(run: Run, args: Sequence[Value], changed: Mapping[str, Value], at: ast.AST) -> Value:
        return record(run, fields, [], {**given, **changed})

    def as_dict(run: Run, args: Sequence[Value], kwargs: Mapping[str, Value], at: ast.AST) -> Value:
        return run.call(Symbol("builtins.dict"), [], given, at)

    names = containers.make(run, "tuple", [Constant(name) for name in fields])
    members = {
        **given,
        "_replace": Native(replace, follows=True),
        "_asdict": Native(as_dict),
        "_fields": names,
    }
    for name, value in members.items():
        run.state.slots[(made, "member", name)] = value
    return made


def of_class(
    run: Run, cls: ClassValue, fields: Sequence[str], args: Sequence[Value], kwargs: Mapping[str, Value]
) -> Value:
    """A named tuple of a class that derives from `typing.NamedTuple`, with its defaults and methods."""
    defaults = {name: value for name in fields if (value := lookup.find(run, cls.order(), name)) is not None}
    made = record(run, fields, args, kwargs, defaults)
    for name in cls.source.methods:
        method = lookup.method_value(run, cls, name)
        run.state.slots[(made, "member", name)] = Bound(method, [made], {})
    return made


def namespace(run: Run, args: Sequence[Value], kwargs: Mapping[str, Value], at: ast.AST) -> Value:
    """types.SimpleNamespace(a=…): an object with these attributes."""
    made = Unknown()
    for name, value in kwargs.items():
        run.set_member(made, name, value)
    return made
