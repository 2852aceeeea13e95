"""Resolves a method of an unknown object by its name, where the project has one method of that name alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import refused_calls
from .budget import DEPTH
from .standing import build
from .values import Bound, FunctionValue, Unknown

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from .run import Run
    from .values import Value


def bound(run: Run, func: Unknown, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Bound | None:
    """The method that `obj.name` of an unknown object is, bound to the one object of its class.

    None where it would not take the arguments, and where no more calls are entered.
    """
    obj, name = run.handed.fields.get(func, (None, ""))
    if not isinstance(obj, Unknown) or obj.tensor is not None or run.budget.is_spent():
        return None
    if run.frame.depth >= DEPTH:
        return None
    source = run.program.prefilter.sole_methods.of(run.frame.module, name)
    if source is None or source.owner is None or source.descriptor or source in run.entering.active:
        return None
    cls = run.program.class_value(source.owner)
    receiver = build(run.program, cls)
    run.root.outside.add(receiver)
    found = run.attribute(receiver, name, source.node)
    if not isinstance(found, Bound) or not isinstance(found.func, FunctionValue):
        return None
    if not refused_calls.takes(run, found, args, kwargs):
        return None
    run.entering.supposed.add(found.func.source)
    return found
