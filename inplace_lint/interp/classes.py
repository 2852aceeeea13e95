"""Looks up attributes of project classes along the MRO: for an object, for the class itself, and for `super()`."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ..torchmodel import table
from ..torchmodel.spelling import MODULE_DICTS
from . import (
    container_methods,
    containers,
    inherited,
    late_attributes,
    layers,
    lightning,
    lookup,
    methods,
    module_parts,
    names,
    optimizers,
)
from .class_value import ClassValue
from .storage import DOES
from .values import (
    ANY,
    Bound,
    Constant,
    FunctionValue,
    Instance,
    Mapping_,
    Native,
    Optimizer,
    Sequence_,
    Symbol,
    TorchModule,
    Unknown,
    Value,
    present,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

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
    value = present(run.state.get((obj, name)))
    if value is not None:
        if obj in run.root.outside and isinstance(value, (Sequence_, Mapping_, Instance)):
            run.root.outside.add(value)
        if obj in run.root.outside and run.program.built.base.get((obj, name)) is value:
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
            elif isinstance(value, Constant) and run.program.is_counted(obj.cls, name):
                counted = run.bottom().slots[(obj, name)] = run.scalar(("counted", obj, name))
                counted.number = not isinstance(value.value, str)
                return counted
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
    if name == "data" and inherited.is_collection(obj.cls):
        return inherited.contents(run, obj)
    native = _from_torch(run, obj, name) or methods.of_instance(run, obj, name)
    native = native or lightning.method(run, obj, name)
    if native is not None:
        return native
    if name == "__dict__" or name in MODULE_DICTS:
        return module_parts.own_dict(run, obj)
    registered = run.state.get((obj, ANY))
    if registered is not None:
        return registered
    stand_in = lookup.find(run, obj.cls.order(), "__getattr__")
    if isinstance(stand_in, Symbol):
        return run.call(stand_in, [obj, Constant(name)], {}, at)
    if isinstance(stand_in, FunctionValue) and stand_in.source not in run.entering.active:
        return run.call(Bound(stand_in, [obj], {}), [Constant(name)], {}, at)
    if obj in run.root.outside:
        known = late_attributes.value(run, obj, name)
        if known is not None:
            return known
    value = Unknown(obj)
    obj.keys[name] = None
    run.bottom().slots[(obj, name)] = value
    return value


def lacks(run: Run, obj: Instance, name: str) -> bool:
    """Whether an object that this run made surely has no attribute of this name."""
    if (
        obj.pending is not None
        or obj.shared
        or obj in run.root.outside
        or run.state.get((obj, ANY)) is not None
    ):
        return False
    hooks = any(lookup.find(run, obj.cls.order(), hook) for hook in ("__getattr__", "__getattribute__"))
    return not hooks and present(run.state.get((obj, name))) is None and class_lacks(run, obj.cls, name)


def class_lacks(run: Run, cls: ClassValue, name: str) -> bool:
    """Whether neither a class nor one that it derives from has an attribute of this name."""
    return lookup.find(run, cls.order(), name) is None and all(
        base == "torch.nn.Module" and not table.has_module(name) for base in cls.external_bases()
    )


def hide(run: Run, obj: Instance, name: str, at: ast.AST) -> None:
    """Prepare for the first assignment of an attribute: on paths without it the object has its class's, if any."""
    if run.state.get((obj, name)) is None:
        found = lookup.find(run, obj.cls.order(), name)
        computes = (
            descriptor(found) == "property"
            if isinstance(found, FunctionValue)
            else isinstance(found, Instance)
        )
        if found is not None and not computes:
            run.bottom().slots[(obj, name)] = _bound(run, found, obj, at)


def _bound(run: Run, found: Value, obj: Value, at: ast.AST) -> Value:
    """Binds a class attribute to an object, as Python's descriptors do; calls a property."""
    if isinstance(found, Instance) and (get := lookup.find(run, found.cls.order(), "__get__")) is not None:
        owner: Value = obj.cls if isinstance(obj, Instance) else obj
        return run.call(Bound(get, [found], {}), [obj, owner], {}, at)
    if not isinstance(found, FunctionValue):
        return found
    kind = descriptor(found)
    if kind == "staticmethod":
        return found
    if kind == "classmethod":
        return Bound(found, [obj.cls if isinstance(obj, Instance) else obj], {})
    if kind == "property":
        value = run.call(found, [obj], {}, at)
        if isinstance(obj, Instance) and _is_cached(found):
            run.put(obj, found.source.name, value)
        return value
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


def _is_cached(function: FunctionValue) -> bool:
    """Whether a property is computed once and then kept as an attribute."""
    return any(
        isinstance(value, Symbol) and value.dotted.endswith("cached_property")
        for value in function.decorated or ()
    )


def _from_torch(run: Run, obj: Instance, name: str) -> Value | None:
    """An attribute or method that the object inherits from a torch class; None if there is none of this name."""
    own = inherited.part(run, obj)
    if isinstance(own, Optimizer):
        return optimizers.attribute(run, own, name) if name in ("param_groups", "step", "zero_grad") else None
    if isinstance(own, (Sequence_, Mapping_)) and container_methods.has(own, name):
        if own.kind == "Sequential" and name in ("add_module", "register_module"):
            return None  # it sets an attribute of the object as well
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
    if name in ("__name__", "__qualname__"):
        return Constant(cls.source.name)
    if name == "__mro__":
        return containers.make(run, "tuple", [*cls.order(), Symbol("builtins.object")])
    found = lookup.find(run, cls.order(), name)
    if found is None:
        return methods.of_class(run, cls, name) or Unknown()
    if isinstance(found, FunctionValue) and descriptor(found) == "classmethod":
        return Bound(found, [cls], {})
    return found


def instance_of(run: Run, args: Sequence[Value]) -> Value:
    """object.__new__(cls)"""
    cls = args[0] if args else None
    return Instance(cls, shared=run.builds) if isinstance(cls, ClassValue) else Unknown()


def _set_plainly(run: Run, obj: Instance, args: Sequence[Value]) -> Value:
    """`super().__setattr__(name, value)`"""
    if len(args) == 2 and isinstance(args[0], Constant):
        module_parts.put(run, obj, str(args[0].value), args[1])
    return Constant(None)


def of_super(run: Run, obj: Super, name: str) -> Value:
    """The value of `super().name`: looked up in the classes behind the one that the call stands in."""
    receiver = obj.receiver
    if isinstance(receiver, (Instance, ClassValue)):
        order = (receiver if isinstance(receiver, ClassValue) else receiver.cls).order()
        if obj.cls in order:
            order = order[order.index(obj.cls) + 1 :]
        found = lookup.find(run, order, name)
        if found is not None:
            return _bound(run, found, receiver, obj.cls.source.node)
    if name == "__new__":
        return Native(lambda run, args, kwargs, at: instance_of(run, args))
    if isinstance(receiver, Instance):
        if name == "__setattr__":
            return Native(lambda run, args, kwargs, at: _set_plainly(run, receiver, args), follows=True)
        if name == "__init__":
            return inherited.constructor(receiver)
        own = inherited.part(run, receiver)
        if own is not None and (name in ("forward", "__call__") or not isinstance(own, Unknown)):
            return own if name in ("forward", "__call__") else run.attribute(own, name, obj.cls.source.node)
        native = methods.of_instance(run, receiver, name)
        if native is not None:
            return native
    return Unknown()
