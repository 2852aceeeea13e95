"""Decides whether an object of a project class, returned by a function or passed to it, has a method that writes."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ..syntax.module import ClassSource
from ..syntax.return_values import returned_calls

if TYPE_CHECKING:
    from ..syntax.module import FunctionSource
    from .prefilter import Prefilter


def gives_writer(prefilter: Prefilter, source: FunctionSource) -> bool:
    """Whether a function returns an object of a project class, not an `nn.Module`, with a writing method."""
    module = source.module
    calls = returned_calls(source) if module.classes or module.imports else ()
    made = [prefilter.names.resolve(module, call.func) for call in calls if isinstance(call, ast.Call)]
    return any(
        prefilter.may_write(method)
        for one in made
        if one is not None and isinstance(one.what, ClassSource) and not prefilter.classes.is_module(one.what)
        for method in prefilter.methods(one.what).values()
    )


def may_ask(prefilter: Prefilter, source: FunctionSource, cls: ClassSource) -> bool:
    """Whether a function calls a writing method on a parameter, assuming that it is an object of `cls`."""
    asked = prefilter.asked(source)
    first = 0 if source.owner is None else 1
    return any(
        (method := prefilter.classes.method(cls, name)) is not None and prefilter.may_write(method)
        for parameter in (*source.parameters[first:], *source.node.args.kwonlyargs)
        for name in asked.called(parameter.arg)
    )
