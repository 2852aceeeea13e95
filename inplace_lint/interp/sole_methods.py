"""Resolves a method of an unknown object by its name, where the project has one method of that name alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import refused_calls
from .budget import DEPTH
from .standing import build
from .values import Bound, FunctionValue, Instance, Unknown

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from .run import Run
    from .values import Value


def called(
    run: Run, func: Unknown, args: Sequence[Value], kwargs: Mapping[str, Value]
) -> Bound | Instance | None:
    """What a call of an unknown value runs: `obj.name(…)`, the method on the one object of its class.

    An object that has shown its class so is taken for that one from then on: by its other methods, and when it is
    called itself. None where that would not take the arguments, and where no more calls are entered.
    """
    if run.budget.is_spent() or run.frame.depth >= DEPTH:
        return None
    shown = run.entering.shown
    obj, name = run.handed.fields.get(func, (None, ""))
    receiver = shown.get(func) or (None if obj is None else shown.get(obj))
    if func in shown:
        name = "forward"
    elif receiver is None and isinstance(obj, Unknown) and obj.tensor is None:
        source = run.program.prefilter.sole_methods.of(run.frame.module, name)
        if source is not None and source.owner is not None and not source.descriptor:
            receiver = build(run.program, run.program.class_value(source.owner))
    if receiver is None:
        return None
    found = run.attribute(receiver, name, receiver.cls.source.node)
    if not isinstance(found, Bound) or not isinstance(found.func, FunctionValue):
        return None
    source = found.func.source
    if source in run.entering.active or not refused_calls.takes(run, found, args, kwargs):
        return None
    run.root.outside.add(receiver)
    run.entering.supposed.add(source)
    if func in shown:
        return receiver
    if isinstance(obj, Unknown):
        shown[obj] = receiver
    return found
