"""Looks up an attribute in a class of the project and its bases, in method resolution order."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import decorators, names
from .values import ClassValue, FunctionValue, Unknown, Value

if TYPE_CHECKING:
    from .run import Run


def find(run: Run, order: list[ClassValue], name: str) -> Value | None:
    """The method, or the value assigned in the class body, of the first class in `order` that defines the name."""
    for cls in order:
        method = cls.source.methods.get(name)
        if method is not None:
            return method_value(run, cls, name)
        if name in cls.source.assignments:
            expression = cls.source.assignments[name]
            if expression is None:
                return None
            key = (cls.source.module, f"{cls.source.name}.{name}")
            known = run.top_levels.globals.get(key)
            if known is None:
                run.top_levels.globals[key] = Unknown()
                known = run.top_levels.globals[key] = names.evaluate_in(run, cls.source.module, expression)
            return known
    return None


def method_value(run: Run, cls: ClassValue, name: str) -> FunctionValue:
    """The function that a class defines under a name, with its decorators applied."""
    source = cls.source.methods[name]
    key = (source.module, f"{cls.source.name}@{source.name}")
    known = run.top_levels.globals.get(key)
    if isinstance(known, FunctionValue):
        return known
    function = FunctionValue(source)
    function.cls = cls
    nodes = getattr(source.node, "decorator_list", [])
    if nodes:
        run.top_levels.globals[key] = function
        decorated = decorators.decorated(run, function, names.decorators_of(run, source), source.node)
        if isinstance(decorated, FunctionValue):
            decorated.cls = cls
            function = decorated
    run.top_levels.globals[key] = function
    return function
