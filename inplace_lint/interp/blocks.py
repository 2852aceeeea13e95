"""Interprets control flow (`if`, loops, `with`, `try`, `break`, `continue`) and joins the states of its paths."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from ..syntax import ir
from . import contexts, exceptions, generators, grad_mode, guards, iteration, names, protocols
from .frames import DEAD, Loop, State
from .grad_mode import Mode
from .guards import ALWAYS, both, relative
from .iterators import Iteration
from .joins import join
from .values import (
    Constant,
    Instance,
    Optimizer,
    Phi,
    Scalar,
    Sequence_,
    Unknown,
    Value,
    alternatives,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    from .execute import Handlers
    from .guards import Guard
    from .iterators import Push
    from .run import Run


def _break(run: Run, i: ir.Break) -> None:
    if run.loops:
        loop = run.loops[-1]
        loop.breaks.append((run.path, run.state.changes(loop.outer)))
    run.path = DEAD


def _continue(run: Run, i: ir.Continue) -> None:
    if run.loops:
        loop = run.loops[-1]
        loop.continues.append((run.path, run.state.changes(loop.base)))
    run.path = DEAD


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


def _loop(
    run: Run,
    rounds: list[Value | None],
    exact: bool,
    i: ir.For | ir.While,
    paths: list[tuple[Guard, Guard]] | None = None,
) -> None:
    """Runs the body once for each element of `rounds`, each time from the joined state of the rounds before.

    `exact`: `rounds` are all the rounds, and not samples. `paths`: for each round, the guard under which it takes
    place, and the guard under which the loop has ended before it.
    """
    outer, repeated = run.state, run.several.repeated
    carried = State(outer)
    loop = Loop(carried, outer, exact)
    run.loops.append(loop)
    run.within.append(loop)
    if not exact:
        run.inexact += 1
        if repeated.depth and i in repeated.alike:
            rounds = rounds[:1]  # an earlier pass over this loop has run a second round
    trained, thirds = run.steps.trains, repeated.thirds
    for number, element in enumerate((*rounds, *rounds[-1:])):
        if not run.path:
            break
        if number == len(rounds):
            trains = thirds == repeated.thirds and _trains_on(run, trained, rounds)
            if exact or not (trains or _tells_first(run, rounds[0])):
                break
            repeated.thirds += 1
        repeated.depth += number > 0
        is_last = not exact and number >= len(rounds) - 1
        one_round(run, i, loop, element, is_last, paths[number] if paths else None)
        repeated.depth -= number > 0
    if not exact:
        run.inexact -= 1
        is_alike = all(element is not None and _is_data(run, element) for element in rounds)
        (repeated.alike.add if is_alike else repeated.alike.discard)(i)
    run.loops.pop()
    run.within.pop()
    run.state = outer
    leave_loop(run, i, loop, carried, outer)


def one_round(
    run: Run,
    i: ir.For | ir.While,
    loop: Loop,
    element: Value | None,
    is_last: bool,
    paths: tuple[Guard, Guard] | None,
) -> None:
    """Runs the body of a loop once, and joins the states at its end into the state that the loop carries."""
    carried, over = loop.base, DEAD
    if paths:
        there, over = paths
        over, run.path = both(run.path, over), both(run.path, there)
    run.state = State(carried)
    loop.continues = []
    if isinstance(i, ir.For):
        if element is not None:
            run.frame.registers[i.element] = element
    else:
        # A test that is not constant does not narrow the path: its value differs from round to round.
        run.block(i.condition)
        if is_last:
            _count_to_the_end(run, i.condition[-1])
        if run.path and run.split(run.frame.registers[i.test])[0] == DEAD:
            loop.exits.append((run.path, run.state.changes(loop.outer)))
            run.path = DEAD
    run.block(i.body)
    ends = [*loop.continues, (run.path, run.state.slots)]
    if over:
        ends.append((over, {}))
    counted = [] if loop.exact else protocols.counted(carried, ends)
    run.state = carried
    run.merge(ends)
    carried.slots.update((key, protocols.some_number()) for key in counted)


def _count_to_the_end(run: Run, test: ir.Instruction) -> None:
    """Marks the counter of `while i < n` as being at its last number, in the final round of the loop."""
    if type(test) is ir.Compare and test.op in ("<", "!="):
        counter = run.frame.registers[test.left]
        if type(counter) is Scalar and counter.number:
            counter.bound, counter.last = run.frame.registers[test.right], True


def _is_data(run: Run, element: Value) -> bool:
    """Whether the element of a round is data or a round number, and no test told the first or last round apart."""
    if isinstance(element, Sequence_):
        return all(_is_data(run, part) for part in run.elements(element))
    if isinstance(element, Scalar):
        return not element.asked and (element.rises is None or not element.rises.asked)
    return isinstance(element, Unknown) and element.alone


def _tells_first(run: Run, element: Value | None) -> bool:
    """Whether the body tests for the first round (`if i == 0:`): then two ordinary rounds have to follow it."""
    within = run.elements(element) if isinstance(element, Sequence_) else (element,)
    return any(isinstance(part, Scalar) and part.rises is not None and part.rises.asked for part in within)


def _trains_on(run: Run, trained: bool, rounds: list[Value | None]) -> bool:
    """Whether the loop trains and needs a third round: one for a save, one for a step, one for the backward after."""
    return not trained and run.steps.trains and not _has_graph(run, rounds)


def _has_graph(run: Run, rounds: list[Value | None]) -> bool:
    """Whether the loop runs over different tensors that have a graph before the loop."""
    if rounds[0] is rounds[-1]:
        return False
    return any(
        node.edges
        for guard, tensor in (run.tensors_within(rounds[-1]) if rounds[-1] is not None else ())
        for _, node in run.heap.nodes(tensor, guard)
    )


def leave_loop(
    run: Run,
    i: ir.For | ir.While,
    loop: Loop,
    carried: State,
    outer: State,
) -> None:
    """Continues after a loop: joins its normal end, by way of its `else`, with its `break`s.

    `carried` is the state after the rounds, `outer` the state before the loop.
    """
    if isinstance(i, ir.While):
        # A loop that has not ended after the rounds run here counts on: its counters hold some number.
        carried.slots.update(
            (key, protocols.some_number()) for key in protocols.counted(outer, [(run.path, carried.slots)])
        )
    endless = isinstance(i, ir.While) and all(type(part) is ir.Constant for part in i.condition)
    ends = [(DEAD if endless else run.path, carried.slots), *loop.exits]
    ends = [end for end in ends if end[0]]
    if i.orelse and ends:
        run.state = State(outer)
        run.merge(ends)
        run.block(i.orelse)
        ends = [(run.path, run.state.changes(outer))] if run.path else []
        run.state = outer
    # In one join, so that a name which a `break` has not changed keeps its value from before the loop.
    run.merge([*ends, *loop.breaks])


def _pushed(run: Run, i: ir.For, push: Push) -> None:
    """Runs a `for` over a generator or iterator of the project: the body runs at each element it produces."""
    outer = run.state
    loop = Loop(outer, outer)
    run.loops.append(loop)
    run.within.append(loop)

    def body(element: Value) -> None:
        carried = run.state
        loop.base, loop.continues = carried, []
        run.state = State(carried)
        run.frame.registers[i.element] = element
        run.block(i.body)
        ends = [*loop.continues, (run.path, run.state.slots)]
        run.state = carried
        run.merge(ends)

    run.state = State(outer)
    push(body)
    run.loops.pop()
    run.within.pop()
    if run.path:
        run.block(i.orelse)
    ends = [(run.path, run.state.changes(outer))] if run.path else []
    run.state = outer
    run.merge([*ends, *loop.breaks])


def _for(run: Run, i: ir.For) -> None:
    iterable = protocols.iterator(run, run.frame.registers[i.iterable], getattr(i.at, "iter", i.at))
    push = iterable.push() if isinstance(iterable, Iteration) else None
    if push is not None:
        _pushed(run, i, push)
        return
    rounds = iteration.by_length(run, iterable)
    if rounds:
        _loop(run, [element for *_, element in rounds], True, i, [(there, over) for there, over, _ in rounds])
        return
    exact, elements = iteration.iterate(run, iterable, i.at)
    _loop(run, list(elements), exact, i)


def _while(run: Run, i: ir.While) -> None:
    rounds = _rounds(run, i)
    _loop(run, [None] * (rounds or 2), rounds > 0, i)


#: What a condition of a `while` may consist of to be looked at before the loop.
_LOOKS = (ir.Load, ir.Constant, ir.Compare, ir.GetAttribute, ir.Unary, ir.Binary)


def _rounds(run: Run, i: ir.While) -> int:
    """An upper bound on the rounds of a `while` whose test is decided in each round; 0 if there is none."""
    if all(type(part) is ir.Constant for part in i.condition):
        return _rounds_to_a_break(run, i)
    lengths = {part.dst for part in i.condition if type(part) is ir.Load and part.name == "len"}
    if not all(
        type(part) in _LOOKS or (type(part) is ir.Call and part.func in lengths) for part in i.condition
    ):
        return 0
    run.block(i.condition)
    if not run.path:
        return 0
    test = i.condition[-1]
    if type(test) is ir.Compare:
        return _distance(run.frame.registers[test.left], run.frame.registers[test.right])
    true, false = run.split(run.frame.registers[i.test])
    return 0 if true and false else iteration.UNROLL + 1


def _distance(first: Value | None, last: Value | None) -> int:
    """An upper bound on the rounds of a loop that counts from one number to another; 0 if they are far or not known."""
    if first is None or last is None or not (protocols.is_number(first) and protocols.is_number(last)):
        return 0
    distance = abs(last.value - first.value)  # type: ignore[operator]  # both are numbers
    return int(distance) + 2 if distance <= iteration.UNROLL else 0


def _rounds_to_a_break(run: Run, i: ir.While) -> int:
    """The same for `while True:`, by a test `if n >= 3: break`, or until a generator has yielded what is asked for."""
    if generators.is_stepped(run.frame):
        return iteration.UNROLL + 1
    values: dict[int, Value] = {}
    for part in i.body:
        if type(part) is ir.Constant:
            values[part.dst] = Constant(part.value)
        elif type(part) is ir.Load and protocols.is_number(known := names.load(run, part.name)):
            values[part.dst] = known
        elif type(part) is ir.If and any(type(inner) is ir.Break for inner in (*part.then, *part.orelse)):
            found = next((one for one in i.body if type(one) is ir.Compare and one.dst == part.test), None)
            if found is not None and (rounds := _distance(values.get(found.left), values.get(found.right))):
                return rounds
    return 0


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
    ir.If: _if,
    ir.For: _for,
    ir.While: _while,
    ir.With: _with,
    ir.Break: _break,
    ir.Continue: _continue,
}
