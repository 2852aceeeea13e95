"""Interprets loops, `break` and `continue`: all rounds if they are known, else as many as a hazard can need."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..syntax import ir
from . import generators, iteration, names, protocols
from .frames import DEAD, Loop, State
from .guards import both
from .iterators import Iteration
from .values import Constant, Scalar, Sequence_, Tensor, Unknown, Value, alternatives

if TYPE_CHECKING:
    from .execute import Handlers
    from .guards import Guard
    from .heap import Write
    from .iterators import Push, Rising
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
    trained, thirds, written = run.steps.trains, repeated.thirds, len(run.found.writes)
    made = repeated.made
    left, number = [*rounds], 0
    while left and run.path:
        element = left.pop(0)
        repeated.depth += number > 0
        is_last = not exact and not left
        counters = _in_round(run, element, number)
        one_round(run, i, loop, element, is_last, paths[number] if paths else None)
        repeated.depth -= number > 0
        number += 1
        is_extended = number + len(left) > len(rounds)
        if exact or is_extended:
            continue
        writes = run.found.writes[written:]
        more = (
            bool(writes)
            and _begins_without_graph(run, outer, carried)
            and not _writes_one(run, writes, rounds)
        )
        if number == len(rounds):
            more = more or _trains_on(run, trained, rounds)
        apart = number == len(rounds) and any(counter.asked for counter in counters)
        if (more and thirds == repeated.thirds) or apart:
            # Two ordinary rounds have to follow those that a test tells apart (`if i == 0:`).
            repeated.thirds += 1
            left += [rounds[-1]] * (2 if any(counter.asked_second for counter in counters) else 1)
    _in_round(run, rounds[-1] if rounds else None, None)
    if not exact:
        run.inexact -= 1
        is_alike = made == repeated.made
        is_alike = is_alike and all(element is not None and _is_data(run, element) for element in rounds)
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


def _in_round(run: Run, element: Value | None, number: int | None) -> list[Rising]:
    """Tells the counters in an element of a loop which round it is in: `i` in `for i, x in enumerate(xs)`."""
    within = run.elements(element) if isinstance(element, Sequence_) else (element,)
    counters = [part.rises for part in within if isinstance(part, Scalar) and part.rises is not None]
    for counter in counters:
        counter.round = number
    return counters


def _trains_on(run: Run, trained: bool, rounds: list[Value | None]) -> bool:
    """Whether the loop trains and needs a third round: one for a save, one for a step, one for the backward after."""
    return not trained and run.steps.trains and not _has_graph(run, rounds)


def _begins_without_graph(run: Run, before: State, carried: State) -> bool:
    """Whether what a loop carries on, as the state of a recurrent network, has no graph before the second round."""
    return any(
        isinstance(begun := before.get(key), Tensor)
        and not run.heap.gradients(begun, run.path)
        and any(
            isinstance(atom, Tensor) and run.heap.gradients(atom, guard)
            for guard, atom in alternatives(value)
        )
        for key, value in carried.slots.items()
    )


def _writes_one(run: Run, writes: list[Write], rounds: list[Value | None]) -> bool:
    """Whether the body writes its element: a third round over the last one would find what that was saved for."""
    given = {
        tensor.storage
        for element in rounds
        if element is not None
        for _, tensor in run.tensors_within(element)
    }
    return any(write.storage in given for write in writes)


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
    loop.forget()


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
    loop.forget()


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


HANDLERS: Handlers = {
    ir.For: _for,
    ir.While: _while,
    ir.Break: _break,
    ir.Continue: _continue,
}
