"""Interprets branches and `with`, and joins the states of their paths."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from ..syntax import ir
from . import contexts, exceptions, generators, grad_mode, guards, loops
from .frames import DEAD, State
from .grad_mode import Mode
from .guards import ALWAYS, both, relative
from .joins import join
from .values import (
    Instance,
    Optimizer,
    Phi,
    Unknown,
    Value,
    alternatives,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    from .execute import Handlers
    from .guards import Guard
    from .run import Run


def branch(run: Run, arms: list[tuple[Guard, Callable[[], None]]]) -> None:
    """Runs each arm under its guard from the current state, then joins the states."""
    base, path = run.state, run.path
    outcomes: list[tuple[Guard, dict[Hashable, Value]]] = []
    conditions: list[Guard] = []
    moved: list[tuple[Guard, dict[int, Value]]] = []
    left_as_entered = True
    ways_out = run.ways_out()
    for guard, arm in arms:
        arm_path = both(path, guard)
        if not arm_path:
            continue
        run.path, run.state = arm_path, State(base)
        arm()
        as_entered = run.path is arm_path
        left_as_entered = left_as_entered and as_entered
        conditions.append(guard if as_entered else relative(run.path, path))
        outcomes.append((run.path, run.state.slots))
        if run.path:
            moved.append((conditions[-1], run.state.moves))
    run.state = base
    if any(moves for _, moves in moved):
        _join_moves(run, moved)
    if not outcomes:
        run.path = DEAD
        return
    run.merge(outcomes, conditions, path if left_as_entered else None)
    if run.ways_out() == ways_out:
        run.keep_exact(path)


def _join_moves(run: Run, moved: list[tuple[Guard, dict[int, Value]]]) -> None:
    """Joins the registers that the arms of a conditional expression assign (`a if c else b`)."""
    registers = run.frame.registers
    before = run.state.moves
    for register in {r for _, moves in moved for r in moves}:
        values = [
            (condition, value)
            for condition, moves in moved
            if (value := moves.get(register, before.get(register))) is not None
        ]
        registers[register] = before[register] = join(values)


def _if(run: Run, i: ir.If) -> None:
    tested = run.frame.registers[i.test]
    true, false = run.split(tested)
    if isinstance(tested, Phi) and i.test in run.state.moves:
        then = partial(_part_of_condition, run, i, tested, True)
        orelse = partial(_part_of_condition, run, i, tested, False)
    else:
        then, orelse = partial(run.block, i.then), partial(run.block, i.orelse)
    path, ways_out = run.path, run.ways_out()
    branch(run, [(true, then), (false, orelse)])
    if not run.path and not (true and false) and run.ways_out() == ways_out and is_sure(run, path):
        run.path = path
        run.block(i.orelse if true else i.then)


def is_sure(run: Run, path: Guard) -> bool:
    """Whether the whole run ends where an error is raised on this path.

    Nobody keeps a program that is sure to fail: what led there is not believed then.
    """
    return path == ALWAYS and not run.trying.catching


def _part_of_condition(run: Run, i: ir.If, tested: Value, holds: bool) -> None:
    """Runs an arm of `a and b` or `a or b`, whose value may be that of `a`: only the alternatives that lead here.

    The paths of alternatives may overlap, so that the path alone does not exclude the others.
    """
    found = [
        (met, atom)
        for guard, atom in alternatives(tested)
        if guards.compatible(guard, run.path) and (met := both(guard, run.split(atom)[not holds]))
    ]
    run.state.moves[i.test] = run.frame.registers[i.test] = join(found)
    run.block(i.then if holds else i.orelse)


def _with(run: Run, i: ir.With) -> None:
    registers = run.frame.registers
    manager = run.settled(registers[i.manager])
    outer = (
        run.grad,
        run.keeping.autocast,
        run.keeping.unchecked,
        run.keeping.unsaved,
        run.keeping.preserved,
    )
    registers[i.dst] = Unknown() if not isinstance(manager, (Mode, Optimizer)) else manager
    if isinstance(manager, Mode):
        if manager.before is not None:
            outer = (manager.before, *outer[1:])
        if _is_split(run, manager):
            _recording_or_not(run, i.body, manager)
            run.grad = outer[0]
            return
        grad_mode.apply(run, manager)
    elif (generator := generators.entered(run, manager)) is not None:
        returned: list[Value | None] = []

        def body(given: Value) -> None:
            registers[i.dst] = given
            returned.append(exceptions.returned_by(run, i.body))

        generators.around(run, generator, i.at, body)
        exceptions.return_behind(run, returned[0] if len(returned) == 1 else None)
        run.grad, run.keeping.autocast, run.keeping.unchecked, run.keeping.unsaved, run.keeping.preserved = (
            outer
        )
        return
    elif not isinstance(manager, Optimizer):
        registers[i.dst] = contexts.enter_context(run, manager, i.at)
    result: Value | None = None
    if isinstance(manager, contexts.Context) and manager.suppresses:
        exceptions.suppressed(run, manager.suppresses, i.body)
    elif isinstance(manager, Instance):
        result = exceptions.guarded(run, i.body, lambda: contexts.leave_context(run, manager, i.at))
    elif isinstance(manager, contexts.Context):
        result = exceptions.returned_by(run, i.body)
    else:
        run.block(i.body)
    contexts.leave_context(run, manager, i.at)
    exceptions.return_behind(run, result)
    run.grad, run.keeping.autocast, run.keeping.unchecked, run.keeping.unsaved, run.keeping.preserved = outer


def _is_split(run: Run, mode: Mode) -> bool:
    """Whether a block under `set_grad_enabled(flag)` is run on two paths, one for each value of the flag."""
    return mode.flag is not None and mode.before in ("on", "off") and not run.budget.is_spent()


def _recording_or_not(run: Run, body: ir.Block, mode: Mode) -> None:
    """Runs a block under `set_grad_enabled(flag)` twice: on the paths where the flag is true, and where it is false."""
    assert mode.flag is not None
    true, false = run.split(mode.flag)

    def arm(grad: str) -> None:
        run.grad = grad
        run.block(body)

    branch(run, [(true, partial(arm, "on")), (false, partial(arm, "off"))])


HANDLERS: Handlers = {
    **exceptions.HANDLERS,
    **loops.HANDLERS,
    ir.If: _if,
    ir.With: _with,
}
