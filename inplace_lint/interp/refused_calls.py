"""Decides which alternatives of a callee would refuse the arguments of a call, and so are not what is called."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..resolve import binding
from ..torchmodel import table
from . import lookup
from .values import Bound, Constant, FunctionValue, Instance, TorchModule

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from .guards import Guard
    from .run import Run
    from .values import Value


def among(
    run: Run, callees: Sequence[tuple[Guard, Value]], args: Sequence[Value], kwargs: Mapping[str, Value]
) -> list[Value]:
    """Those of the callees that refuse these arguments; none if all do: the program is taken to run."""
    refused = [one for _, one in callees if not takes(run, one, args, kwargs)]
    return refused if len(refused) < len(callees) else []


def takes(run: Run, func: Value, args: Sequence[Value], kwargs: Mapping[str, Value]) -> bool:
    """Whether Python may call `func` with these arguments: False where that is certain to raise a TypeError."""
    while isinstance(func, Bound):
        args, kwargs, func = [*func.args, *args], {**func.kwargs, **kwargs}, func.func
    if isinstance(func, Constant):
        return False  # `layers = [None]`, to which layers are added
    if isinstance(func, Instance):
        name = "forward" if func.cls.is_module() else "__call__"
        found = lookup.find(run, func.cls.order(), name)
        return not isinstance(found, FunctionValue) or takes(run, found, [func, *args], kwargs)
    if isinstance(func, FunctionValue):
        given = binding.bind(func.source, args, kwargs)
        needed = any(func.source.default_of(parameter) is None for parameter in given.missing)
        return func.decorated is not None or (given.fits and not needed)
    model = table.module(func.name) if isinstance(func, TorchModule) else None
    if model is None:
        return True
    names = {*(one.name for one in model.forward[: len(args)]), *kwargs}
    required = {one.name for one in model.forward if one.required}
    known = {one.name for one in model.forward}
    return len(names) == len(args) + len(kwargs) and required <= names <= known
