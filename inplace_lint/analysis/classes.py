"""Classes of the project: what an object, the class itself or `super()` finds along the order of its bases."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import attributes, calls, containers, decorators, inherited, methods, names, objects
from .values import (
    ANY,
    Bound,
    ClassValue,
    Constant,
    FunctionValue,
    Instance,
    Mapping_,
    Sequence_,
    Symbol,
    Unknown,
    Value,
)

if TYPE_CHECKING:
    import ast

    from .run import Run


class Super(Value):
    """`super()`: attribute look-up on `receiver` that starts behind `cls`."""

    __slots__ = ("cls", "receiver")

    def __init__(self, cls: ClassValue, receiver: Value) -> None:
        self.cls = cls
        self.receiver = receiver


def of_instance(run: Run, obj: Instance, name: str, at: ast.AST) -> Value:
    """An attribute of an object of the project: its own, its class's, a torch base class's."""
    if obj.pending is not None:
        objects.materialise(run, obj)
    value = run.state.get((obj, name))
    if value is not None:
        if obj in run.root.outside and isinstance(value, (Sequence_, Mapping_, Instance)):
            run.root.outside.add(value)
        if obj in run.root.outside and run.program.built.base.slots.get((obj, name)) is value:
            # As `__init__` leaves it until some method sets it, or fills it: and this one need not be the first to run.
            if isinstance(value, Constant) and value.value is None:
                if run.program.is_set_later(obj.cls, name, run.frame.module):
                    late = Unknown(obj)
                    late.late = True
                    run.bottom().slots[(obj, name)] = late
                    return late
            elif (
                isinstance(value, (Sequence_, Mapping_))
                and containers.is_empty_as_made(run, value)
                and run.program.is_filled_later(obj.cls, name, run.frame.module)
            ):
                containers.fill(run, value, Unknown(obj))
        return value
    found = find(run, obj.cls.order(), name)
    if found is not None:
        return _bound(run, found, obj, at)
    native = inherited.attribute(run, obj, name) or methods.of_instance(run, obj, name)
    if native is not None:
        return native
    registered = run.state.get((obj, ANY))
    if registered is not None:
        return registered
    value = Unknown(obj)
    obj.keys[name] = None
    run.bottom().slots[(obj, name)] = value
    return value


def find(run: Run, order: list[ClassValue], name: str) -> Value | None:
    """A method, or a class-level assignment, in the classes of a look-up order."""
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
    """The function that a class defines under a name, decorators evaluated."""
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


def _bound(run: Run, found: Value, obj: Value, at: ast.AST) -> Value:
    if not isinstance(found, FunctionValue):
        return found
    kind = descriptor(found)
    if kind == "staticmethod":
        return found
    if kind == "classmethod":
        return Bound(found, [obj.cls if isinstance(obj, Instance) else obj], {})
    if kind == "property":
        return calls.call(run, found, [obj], {}, at)
    return Bound(found, [obj], {})


def descriptor(function: FunctionValue) -> str:
    """staticmethod, classmethod, property or nothing, by the decorators' names."""
    for value in function.decorated or ():
        if isinstance(value, Symbol):
            last = value.dotted.rpartition(".")[2]
            if last in ("staticmethod", "classmethod", "property"):
                return last
            if last == "cached_property":
                return "property"
    return ""


def of_class(run: Run, cls: ClassValue, name: str) -> Value:
    """An attribute of a class itself."""
    found = find(run, cls.order(), name)
    if found is None:
        return methods.of_class(run, cls, name) or Unknown()
    if isinstance(found, FunctionValue) and descriptor(found) == "classmethod":
        return Bound(found, [cls], {})
    return found


def of_super(run: Run, obj: Super, name: str) -> Value:
    """What `super()` finds past the class that it stands in."""
    receiver = obj.receiver
    if isinstance(receiver, Instance):
        order = receiver.cls.order()
        if obj.cls in order:
            order = order[order.index(obj.cls) + 1 :]
        found = find(run, order, name)
        if found is not None:
            return Bound(found, [receiver], {}) if isinstance(found, FunctionValue) else found
        if name == "__init__":
            return inherited.constructor(receiver)
        own = inherited.part(run, receiver)
        if own is not None:
            return (
                own
                if name in ("forward", "__call__")
                else attributes.get(run, own, name, obj.cls.source.node)
            )
        native = methods.of_instance(run, receiver, name)
        if native is not None:
            return native
    return Unknown()
