"""Resolves a method of an unknown object by its name, where the project has one method of that name alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .standing import build
from .values import Bound, FunctionValue, Unknown

if TYPE_CHECKING:
    from .run import Run


def bound(run: Run, func: Unknown) -> Bound | None:
    """The method that `obj.name` of an unknown object is, bound to the one object of its class."""
    obj, name = run.handed.fields.get(func, (None, ""))
    if not isinstance(obj, Unknown) or obj.tensor is not None:
        return None
    source = run.program.prefilter.sole_methods.of(run.frame.module, name)
    if source is None or source.owner is None or source.descriptor or source in run.entering.active:
        return None
    cls = run.program.class_value(source.owner)
    receiver = build(run.program, cls)
    run.root.outside.add(receiver)
    found = run.attribute(receiver, name, source.node)
    return found if isinstance(found, Bound) and isinstance(found.func, FunctionValue) else None
