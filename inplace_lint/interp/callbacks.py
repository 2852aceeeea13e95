"""Calls what a run leaves to unknown code: callbacks that train, as in `Engine(update)` or `optimizer.step(closure)`.

When unknown code calls them is not known, nor with which arguments. So each is called once, after all else, for the
hazards within it: what it saves, and writes before it runs a backward.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..prefilter.selection import trains
from . import lookup
from .budget import TRAINING, Budget
from .entry_arguments import arguments
from .guards import ALWAYS
from .values import Bound, FunctionValue, Instance, Value

if TYPE_CHECKING:
    from .run import Run


def call_the_rest(run: Run) -> None:
    """Call each callback that trains and that the run has not entered."""
    done: set[Value] = set()
    for guard, value in run.entering.callbacks:
        if value in done:
            continue
        done.add(value)
        function, args, kwargs = _taken_apart(run, value)
        source = function.source if isinstance(function, FunctionValue) else None
        if not isinstance(function, FunctionValue) or source is None or source.is_generator:
            continue
        if source in run.entering.entered or not trains(source.module, source):
            continue
        named = dict(zip((parameter.arg for parameter in source.parameters), args))
        heap, run.path = run.heap, guard
        heap.time += 1
        begun, roots = heap.time, len(heap.roots)
        budget, run.budget = run.budget, Budget(TRAINING)
        result = run.enter(function, [], arguments(run, source, {**named, **kwargs}), source.node, force=True)
        run.budget = budget
        heap.escape(run.tensors_within(result), ALWAYS)
        heap.roots[roots:] = [root._replace(since=begun) for root in heap.roots[roots:]]
        heap.hazards = [one for one in heap.hazards if one.write.time < begun or one.saved.time >= begun]


def _taken_apart(run: Run, value: Value) -> tuple[Value | None, list[Value], dict[str, Value]]:
    """The function that a call of a value runs, and what the value adds to the arguments."""
    args: list[Value] = []
    kwargs: dict[str, Value] = {}
    while isinstance(value, Bound):
        args, kwargs, value = [*value.args, *args], {**value.kwargs, **kwargs}, value.func
    if isinstance(value, Instance) and not value.cls.is_module():
        return lookup.find(run, value.cls.order(), "__call__"), [value, *args], kwargs
    return value, args, kwargs
