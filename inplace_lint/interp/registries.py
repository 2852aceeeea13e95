"""Makes the objects that a file binds at its top level and that other top-level code fills, such as registries.

A function runs when all files that it needs have been imported, so what their top levels put into such an object is in
it. The object is built once for all runs, as objects of classes are.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ..syntax.lower import lower_body
from . import containers
from .budget import EVERYTHING, HARD_LIMIT, STEPS, Budget, OutOfBudget
from .frames import Frame
from .guards import ALWAYS
from .parsers import Parser
from .values import Instance, Mapping_, Sequence_, Unknown, Value

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..prefilter.registrations import Registration
    from ..syntax.module import Module
    from .run import Run


def filled_by(run: Run, module: Module, name: str, value: Value) -> list[Registration] | None:
    """The statements that fill what the file makes for a name; None if they cannot all be told.

    Those of a file whose top level this run executes are left out: they have their turn.
    """
    if isinstance(value, Parser):
        return run.program.prefilter.registrations.of(module, name, from_anywhere=False)
    if not isinstance(value, (Instance, Mapping_, Sequence_)):
        return []
    from_anywhere = isinstance(value, Instance) or containers.length(run, value) == 0
    found = run.program.prefilter.registrations.of(module, name, from_anywhere)
    if found is None:
        return None
    if isinstance(value, Instance) and value.cls.is_module():
        found = [
            one for one in found if isinstance(one[1], ast.Assign)
        ]  # a network is no table: what is called trains it
    return [(file, statement) for file, statement in found if file.filename not in run.top_levels.frames]


def of_closures(run: Run, module: Module, names: list[str]) -> list[Registration]:
    """The statements that call functions which share a table, as a decorator that stores a class in it does."""
    found: dict[Registration, None] = {}
    for name in names:
        for file, statement in run.program.prefilter.registrations.of(module, name, from_anywhere=True) or ():
            if file.filename not in run.top_levels.frames:
                found[file, statement] = None
    return [*found]


def open_up(run: Run, module: Module, name: str, value: Value) -> None:
    """Let an empty container hold anything if functions of its file fill it, such as a cache or a log."""
    if run.program.prefilter.registrations.is_filled_by_functions(module, name):
        opened(run, value)


def opened(run: Run, value: Value) -> Value:
    """What was made for a name, where what fills it cannot be told: a container of anything, or an unknown object."""
    if not isinstance(value, (Mapping_, Sequence_)) or containers.length(run, value) != 0:
        return Unknown()
    containers.fill(run, value, Unknown())
    return value


def fill(run: Run, registrations: list[Registration]) -> None:
    """Run statements of the top level of files, each as far as the budget of one run goes, and all within two.

    Raises `OutOfBudget`.
    """
    outer, deep = run.frame, run.entering.deep
    run.entering.deep, steps = EVERYTHING, 0
    for module, statement in registrations:
        steps += run.budget.steps
        if steps > 2 * HARD_LIMIT:
            raise OutOfBudget(STEPS.format(steps))
        run.budget = Budget(0)
        run.frame = Frame(run.uid(), module, None, None, None, None)
        run.frames[run.frame.uid] = run.frame
        run.block(lower_body([statement]))
        run.path = ALWAYS
    run.frame, run.entering.deep = outer, deep


def built(run: Run, module: Module, name: str, make: Callable[[Run], Value]) -> Value | None:
    """What `make` gives in a run that builds objects for all runs; None where that needs too many steps."""
    known = run.program.built
    if (module, name) not in known.filled:
        maker = run.program.building_run(module)
        try:
            known.filled[module, name] = known.names[module, name] = make(maker)
        except OutOfBudget:
            known.filled[module, name] = None
            known.names.pop((module, name), None)
        run.learn_from(maker)
    return known.filled[module, name]
