"""Looks up an attribute in a class of the project and its bases, in method resolution order."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from . import enums, names
from .class_value import ClassValue
from .values import Bound, Constant, FunctionValue, Instance, Unknown, Value

if TYPE_CHECKING:
    from .run import Run


def find(run: Run, order: list[ClassValue], name: str) -> Value | None:
    """The method, or the value assigned in the class body, of the first class in `order` that defines the name."""
    for cls in order:
        held = run.state.get((cls, name))
        if held is not None:
            return held
        method = cls.source.methods.get(name)
        if method is not None:
            return method_value(run, cls, name)
        if name in cls.source.classes:
            inner = run.program.class_value(cls.source.module.class_of(cls.source.classes[name]))
            if not inner.bases and inner.source.bases:
                inner.bases = [names.evaluate_in(run, cls.source.module, base) for base in inner.source.bases]
            return inner
        if name in cls.source.assignments:
            expression = cls.source.assignments[name]
            if expression is None:
                return None
            key = (cls.source.module, f"{cls.source.name}.{name}")
            known = run.top_levels.globals.get(key)
            if known is None and not run.builds and enums.is_enum(cls) and cls.frame is None:
                # An object that is built once for all runs holds the same member as a run finds here.
                run = run.program.building_run(cls.source.module)
                known = run.top_levels.globals.get(key)
            if known is None:
                run.top_levels.globals[key] = Unknown()
                known = run.top_levels.globals[key] = _assigned(run, cls, name, expression)
            return known
    return None


def in_body(run: Run, cls: ClassValue, expression: ast.expr, target: str = "") -> Value:
    """The value of an expression in a class body, which may speak of what the body binds: `LAYERS = {RELU: nn.ReLU}`.

    `target` is the name that it is assigned to: there, that name is not yet the class's.
    """
    source = cls.source
    bound = {}
    for node in ast.walk(expression):
        name = node.id if isinstance(node, ast.Name) else target
        if name != target and (
            name in source.methods or name in source.classes or name in source.assignments
        ):
            found = find(run, [cls], name)
            if found is not None:
                bound[name] = found
    return names.evaluate_in(run, source.module, expression, bound)


def _assigned(run: Run, cls: ClassValue, name: str, expression: ast.expr) -> Value:
    """What a class has under a name that its body assigns."""
    value = in_body(run, cls, expression, name)
    told = find(run, value.cls.order(), "__set_name__") if isinstance(value, Instance) else None
    if told is not None:
        run.call(Bound(told, [value], {}), [cls, Constant(name)], {}, cls.source.node)
    member = enums.is_enum(cls) and not name.startswith("_")
    return enums.member(run, cls, name, value) if member else value


def accessor(run: Run, order: list[ClassValue], name: str, kind: str) -> FunctionValue | None:
    """The setter or deleter of a property."""
    for cls in order:
        source = cls.source.methods.get(f"{name}.{kind}")
        if source is not None:
            function = FunctionValue(source)
            function.cls = cls
            return function
    return None


def method_value(run: Run, cls: ClassValue, name: str) -> FunctionValue:
    """The function that a class defines under a name, with its decorators applied."""
    source = cls.source.methods[name]
    key = (source.module, f"{cls.source.name}@{source.name}")
    known = run.top_levels.globals.get(key)
    if isinstance(known, FunctionValue):
        known.frame = cls.frame if cls.frame is not None else known.frame
        return known
    function = FunctionValue(source, cls.frame)
    function.cls = cls
    run.top_levels.globals[key] = function
    decorated = names.decorated(run, function)
    if isinstance(decorated, FunctionValue):
        decorated.cls = cls
        function = decorated
    else:
        function.decorated = [decorated]  # an object that calls it, perhaps in another grad mode
    run.top_levels.globals[key] = function
    return function
