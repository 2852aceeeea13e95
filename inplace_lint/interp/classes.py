"""Looks up attributes of project classes along the MRO: for an object, for the class itself, and for `super()`."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ..torchmodel import table
from . import (
    container_methods,
    containers,
    inherited,
    late_attributes,
    layers,
    lookup,
    methods,
    names,
    optimizers,
)
from .storage import DOES
from .values import (
    ANY,
    Bound,
    ClassValue,
    Constant,
    FunctionValue,
    Instance,
    Mapping_,
    Optimizer,
    Sequence_,
    Symbol,
    TorchModule,
    Unknown,
    Value,
)

if TYPE_CHECKING:
    from .run import Run


class Super(Value):
    """`super()`: attribute look-up on `receiver` that starts behind `cls`."""

    __slots__ = ("cls", "receiver")

    def __init__(self, cls: ClassValue, receiver: Value) -> None:
        self.cls = cls
        self.receiver = receiver


def _is_set_to_a_tensor(run: Run, cls: ClassValue, name: str) -> bool:
    """Whether a method of the class assigns the attribute the result of a torch function: `self.x = torch.zeros(3)`."""
    for owner in cls.order():
        for method in owner.source.methods.values():
            for how, value, _ in run.program.prefilter.assigned(method).names.get(f".{name}", ()):
                if how == "=" and isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute):
                    made = names.evaluate_in(run, method.module, value.func)
                    if isinstance(made, Symbol) and table.function(made.dotted) is not None:
                        return True
    return False


def of_instance(run: Run, obj: Instance, name: str, at: ast.AST) -> Value:
    """An attribute of an object of the project: its own, its class's, a torch base class's."""
    if obj.pending is not None:
        run.materialise(obj)
    value = run.state.get((obj, name))
    if value is not None:
        if obj in run.root.outside and isinstance(value, (Sequence_, Mapping_, Instance)):
            run.root.outside.add(value)
        if obj in run.root.outside and run.program.built.base.slots.get((obj, name)) is value:
            # Still as `__init__` left it, but another method, which sets or fills it, may have run before this one.
            if isinstance(value, Constant) and value.value is None:
                if run.program.is_set_later(obj.cls, name, run.frame.module):
                    known = late_attributes.value(run, obj, name)
                    if known is not None:
                        return known
                    late = Unknown(obj)
                    late.late = True
                    tensor = run.as_tensor(late) if _is_set_to_a_tensor(run, obj.cls, name) else None
                    if tensor is not None:
                        tensor.storage.proved = True
                    run.bottom().slots[(obj, name)] = late
                    return late
            elif (
                isinstance(value, (Sequence_, Mapping_))
                and containers.is_empty_as_made(run, value)
                and run.program.is_filled_later(obj.cls, name, run.frame.module)
            ):
                containers.fill(run, value, Unknown(obj))
        return value
    found = lookup.find(run, obj.cls.order(), name)
    if found is not None:
        return _bound(run, found, obj, at)
    native = _from_torch(run, obj, name) or methods.of_instance(run, obj, name)
    if native is not None:
        return native
    registered = run.state.get((obj, ANY))
    if registered is not None:
        return registered
    if obj in run.root.outside:
        known = late_attributes.value(run, obj, name)
        if known is not None:
            return known
    value = Unknown(obj)
    obj.keys[name] = None
    run.bottom().slots[(obj, name)] = value
    return value


def _bound(run: Run, found: Value, obj: Value, at: ast.AST) -> Value:
    """Binds a class attribute to an object, as Python's descriptors do; calls a property."""
    if not isinstance(found, FunctionValue):
        return found
    kind = descriptor(found)
    if kind == "staticmethod":
        return found
    if kind == "classmethod":
        return Bound(found, [obj.cls if isinstance(obj, Instance) else obj], {})
    if kind == "property":
        return run.call(found, [obj], {}, at)
    return Bound(found, [obj], {})


def descriptor(function: FunctionValue) -> str:
    """The kind of a method by its decorators: "staticmethod", "classmethod", "property" or ""."""
    for value in function.decorated or ():
        if isinstance(value, Symbol):
            last = value.dotted.rpartition(".")[2]
            if last in ("staticmethod", "classmethod", "property"):
                return last
            if last == "cached_property":
                return "property"
    return ""


def _from_torch(run: Run, obj: Instance, name: str) -> Value | None:
    """An attribute or method that the object inherits from a torch class; None if there is none of this name."""
    own = inherited.part(run, obj)
    if isinstance(own, Optimizer):
        return optimizers.attribute(run, own, name) if name in ("param_groups", "step", "zero_grad") else None
    if isinstance(own, (Sequence_, Mapping_)) and container_methods.has(own, name):
        return container_methods.of(run, own, name)
    if not isinstance(own, TorchModule):
        return None
    if name == "bias" and own.weights is not None and name not in own.owns:
        own.owns[name] = run.new_tensor("parameter", DOES, None, leaf=True)
    known = layers.argument(run, own, name) is not None or name in own.owns
    known = known or name.startswith(("weight", "bias_", "running_"))
    return run.attribute(own, name, obj.cls.source.node) if known else None


def of_class(run: Run, cls: ClassValue, name: str) -> Value:
    """An attribute of a class itself."""
    found = lookup.find(run, cls.order(), name)
    if found is None:
        return methods.of_class(run, cls, name) or Unknown()
    if isinstance(found, FunctionValue) and descriptor(found) == "classmethod":
        return Bound(found, [cls], {})
    return found


def of_super(run: Run, obj: Super, name: str) -> Value:
    """The value of `super().name`: looked up in the classes behind the one that the call stands in."""
    receiver = obj.receiver
    if isinstance(receiver, Instance):
        order = receiver.cls.order()
        if obj.cls in order:
            order = order[order.index(obj.cls) + 1 :]
        found = lookup.find(run, order, name)
        if found is not None:
            return Bound(found, [receiver], {}) if isinstance(found, FunctionValue) else found
        if name == "__init__":
            return inherited.constructor(receiver)
        own = inherited.part(run, receiver)
        if own is not None:
            return own if name in ("forward", "__call__") else run.attribute(own, name, obj.cls.source.node)
        native = methods.of_instance(run, receiver, name)
        if native is not None:
            return native
    return Unknown()
