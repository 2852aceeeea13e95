"""Objects of the project where only a name says that they are some: given to a function, or returned by one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..torchmodel import table
from . import construct
from .atoms import Function, Object

if TYPE_CHECKING:
    from ..syntax.module import ClassSource, FunctionSource
    from .atoms import Cell
    from .expressions import Scope
    from .summaries import Sketches


def gives_writer(sketches: Sketches, source: FunctionSource) -> bool:
    """Whether a function returns an object of the project, no module of torch, that has a method which writes."""
    scope = construct.Scope(sketches, source.module, source)
    for atom in sketches.result(source):
        if isinstance(atom, Object) and not construct.is_module(scope, atom.source):
            for cls in construct.classes_of(scope, atom.source):
                if not isinstance(cls, str) and any(
                    name != "__init__" and sketches.may_write(method) for name, method in cls.methods.items()
                ):
                    return True
    return False


def may_ask(sketches: Sketches, source: FunctionSource, cls: ClassSource) -> bool:
    """Whether a function calls a method that writes of one of its arguments, were it an object of the class."""
    scope = construct.Scope(sketches, source.module, source)
    first = 0 if source.owner is None else 1
    obj = Object(cls)
    return any(
        asks_to_write(scope, source, parameter.arg, obj)
        for parameter in (*source.parameters[first:], *source.node.args.kwonlyargs)
    )


def asks_to_write(scope: Scope, source: FunctionSource, parameter: str, obj: Object) -> bool:
    """Whether a function that is given the object calls a method of it that writes: it alone knows what that spoils."""
    for called in scope.sketches.called_on(source, parameter):
        method = construct.find_method(scope, obj.source, called)
        if method is not None and scope.sketches.may_write(method.source):
            return True
    return False


def only_method(scope: Scope, receiver: Cell, name: str) -> Function | None:
    """The method that writes and that one class of the file alone has by this name: the receiver may be its object."""
    module = scope.module
    if (
        receiver.store.tensor
        or name not in module.method_names()
        or table.has_module(name)
        or table.method(name)
    ):
        return None
    owners = [cls for cls in module.classes.values() if name in cls.methods]
    if len(owners) != 1 or not scope.sketches.may_write(owners[0].methods[name]):
        return None
    return Function(owners[0].methods[name], (Object(owners[0]),))


def method_of_result(scope: Scope, receiver: Cell, name: str) -> Function | None:
    """The method that a call is of where its receiver, which a function returned, is an object of the project."""
    store = receiver.store
    if store.made is None or store.sources is None:
        return None
    source = store.made[0]
    if name not in source.module.method_names():
        return None
    built = scope.sketches.result(source)
    if not any(isinstance(atom, Object) for atom in built):
        return None
    for atom in (*scope.sketches.of(source).returns, *built):
        if isinstance(atom, Object):
            method = construct.find_method(scope, atom.source, name)
            if method is not None and construct.descriptor(method.source) != "staticmethod":
                return Function(method.source, (atom, receiver))
    return None
