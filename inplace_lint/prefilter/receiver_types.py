"""Decides whether an object of a project class, returned by a function or passed to it, has a method that writes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import construct
from .atoms import Object

if TYPE_CHECKING:
    from ..syntax.module import ClassSource, FunctionSource
    from .summaries import Prefilter


def gives_writer(prefilter: Prefilter, source: FunctionSource) -> bool:
    """Whether a function returns an object of a project class, not an `nn.Module`, with a writing method."""
    scope = construct.Scope(prefilter, source.module, source)
    for atom in prefilter.of(source).returns:
        if isinstance(atom, Object) and not construct.is_module(scope, atom.source):
            for cls in construct.classes_of(scope, atom.source):
                if not isinstance(cls, str) and any(
                    name != "__init__" and prefilter.may_write(method) for name, method in cls.methods.items()
                ):
                    return True
    return False


def may_ask(prefilter: Prefilter, source: FunctionSource, cls: ClassSource) -> bool:
    """Whether a function calls a writing method on a parameter, assuming that it is an object of `cls`."""
    scope = construct.Scope(prefilter, source.module, source)
    asked = prefilter.asked(source)
    first = 0 if source.owner is None else 1
    return any(
        (method := construct.find_method(scope, cls, name)) is not None and prefilter.may_write(method.source)
        for parameter in (*source.parameters[first:], *source.node.args.kwonlyargs)
        for name in asked.called(parameter.arg)
    )
