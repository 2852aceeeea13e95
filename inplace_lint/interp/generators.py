"""Runs generators of the project: the body of a `for` or `with` over one is executed at each `yield`."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from . import containers, iteration, protocols
from .budget import DEPTH, is_small
from .event import Skipped
from .frames import DEAD
from .iterators import Iteration
from .values import Constant, Instance, Mapping_, Sequence_, Symbol, Unknown, flatten

if TYPE_CHECKING:
    import ast
    from collections.abc import Callable, Mapping, Sequence

    from ..syntax import ir
    from ..syntax.module import FunctionSource
    from .frames import Frame
    from .iterators import Drawn
    from .run import Run
    from .values import FunctionValue, Value


class Generator:
    """A call of a generator function, whose body is still to run.

    `otherwise` is its value if the body is not run; `taken` counts the calls of `next` on it outside of loops.
    """

    __slots__ = ("args", "exact", "function", "held", "kwargs", "otherwise", "sent", "taken")

    def __init__(
        self, function: FunctionValue, args: Sequence[Value], kwargs: Mapping[str, Value], exact: bool
    ) -> None:
        self.function, self.args, self.kwargs, self.exact = function, args, kwargs, exact
        self.otherwise: Value = Unknown()
        self.taken = 0
        #: what `send` gave to the yield of each number
        self.sent: dict[int, Value] = {}
        #: the names of the body with their values, at the yield that was taken last
        self.held: dict[str, Value] = {}


def made(run: Run, generator: Generator, otherwise: Value, at: ast.AST) -> Value:
    """The iteration that a generator call returns: its body runs when consumed. `otherwise`: used if it is not run."""
    frame = run.frame
    generator.otherwise = otherwise

    def draw(count: int | None) -> Drawn:
        if not _is_entered(run, generator):
            return _passed_over(run, generator, at)
        found: list[Value] = []
        path, inexact = run.path, run.inexact
        exact = True

        def yielded(value: Value) -> None:
            nonlocal exact
            exact = exact and run.path is path and run.inexact == inexact
            if value not in found or exact:
                found.append(value)

        outer, run.frame = run.frame, frame
        around(run, generator, at, yielded)
        run.frame = outer
        run.path = run.path or path  # it yields without end, and who takes all of it stops somewhere
        if run.path is not path:
            exact = False
        return exact, found if exact or len(found) != 1 else found * 2

    result = Iteration(draw)
    result.push = lambda: partial(around, run, generator, at) if _is_entered(run, generator) else None
    result.step = lambda at: first(run, generator, at)
    run.entering.generators[result] = generator
    return result


def _passed_over(run: Run, generator: Generator, at: ast.AST) -> Drawn:
    """Values that stand for the elements of a generator that is not run; records its call as skipped."""
    whole = generator.otherwise
    if not isinstance(whole, Unknown):
        return iteration.iterate(run, whole, at)
    values = [*generator.args, *generator.kwargs.values()]
    storages = {tensor.storage for value in values for _, tensor in run.tensors_within(value)}
    given = {atom for value in values for atom in flatten(value)}
    run.entering.skipped.append(Skipped(generator.function.source, given, storages, whole))
    return False, [Unknown(whole), Unknown(whole)]


class _Step:
    """Takes the value of the yield that is due, past those that were taken before, and ends the run of the body."""

    def __init__(self, run: Run, generator: Generator, closes: bool = False) -> None:
        self.run, self.generator = run, generator
        #: the body ends at the yield where it waits, as if that raised
        self.closes = closes
        self.before = generator.taken
        self.passed = 0
        self.since = run.heap.time

    def __call__(self, value: Value) -> None:
        run, uid = self.run, self.run.frame.uid
        if self.passed < self.before and not run.inexact:
            self.passed += 1
            if self.passed == self.before:
                self._go_on()
            if not self.closes or self.passed < self.before:
                return
        names = [key for key in run.state.all_keys() if isinstance(key, tuple) and key[0] == uid]
        self.generator.held = {key[1]: run.state[key] for key in names}
        run.frame.returns.append((run.path, value, run.state.changes(run.frame.base)))
        run.path = DEAD

    def _go_on(self) -> None:
        """Take up the body where it stood: without the writes that it has made before, and with the values it had."""
        run = self.run
        run.heap.hazards = [one for one in run.heap.hazards if one.write.time <= self.since]
        run.found.writes = [one for one in run.found.writes if one.time <= self.since]
        for name, value in self.generator.held.items():
            run.state.slots[(run.frame.uid, name)] = value

    def sent(self) -> Value | None:
        """What `send` gave to the yield that was just passed; None if `next` took it."""
        return self.generator.sent.get(self.passed - 1)


def is_stepped(frame: Frame) -> bool:
    """Whether the body of a generator runs only up to one of its yields, and waits there."""
    return isinstance(frame.on_yield, _Step) and not frame.on_yield.closes


def first(run: Run, generator: Generator, at: ast.AST) -> Value:
    """Models `next(generator)`: runs the body from its start, past the yields already taken, to the one that is due."""
    if not _is_entered(run, generator):
        return _passed_over(run, generator, at)[1][0]
    step = _Step(run, generator)
    generator.taken += not run.inexact
    return run.enter(generator.function, generator.args, generator.kwargs, at, generator.exact, True, step)


def close(run: Run, value: Value, at: ast.AST) -> Value:
    """generator.close(): what stands in a `finally` around the yield where it waits is run."""
    generator = run.entering.generators.get(value)
    if generator is not None and generator.taken and _is_entered(run, generator):
        step = _Step(run, generator, closes=True)
        run.enter(generator.function, generator.args, generator.kwargs, at, generator.exact, True, step)
    return Constant(None)


def send(run: Run, value: Value, given: Value, at: ast.AST) -> Value:
    """generator.send(given)"""
    generator = run.entering.generators.get(value)
    if generator is None:
        return Unknown()
    generator.sent[generator.taken - 1] = given
    return first(run, generator, at)


def entered(run: Run, value: Value) -> Generator | None:
    """The generator behind a `@contextmanager` that a `with` enters; None if there is none, or it is not run."""
    found = run.entering.generators.get(value)
    if found is None:
        return None
    if not any(
        isinstance(one, Symbol) and one.dotted == "contextlib.contextmanager"
        for one in found.function.decorated or ()
    ):
        return None
    return found if _is_entered(run, found) else None


#: How many levels deep a function is followed that calls itself for the parts of what it is given.
_LEVELS = 3


def goes_down(run: Run, source: FunctionSource, args: Sequence[Value]) -> bool:
    """Whether a function that calls itself is followed: for parts of a value that is in sight, a few levels deep."""
    if run.entering.active.count(source) > _LEVELS:
        return False
    around = [*run.frame.given.values()] if run.frame.function is source else []
    # A number that is handed on as it is does not count down.
    counts = bool(_numbers(args) ^ _numbers(around))
    return counts or any(_has_parts(run, value) for value in (*args, *around))


def _numbers(values: Sequence[Value]) -> set[int]:
    return {one.value for one in values if isinstance(one, Constant) and type(one.value) is int}


def _has_parts(run: Run, value: Value) -> bool:
    """Whether the value is an object or container whose parts are in sight."""
    if isinstance(value, Instance):
        return value.cls.is_module() or value not in run.root.outside
    if isinstance(value, (Sequence_, Mapping_)):
        return value.kind in ("Sequential", "ModuleList") or bool(containers.length(run, value))
    return False


def _is_entered(run: Run, generator: Generator) -> bool:
    """Whether the body of a generator is run when it is consumed, by the rules for entering a call."""
    source = generator.function.source
    if run.frame.depth >= DEPTH or run.budget.is_spent():
        return False
    if source in run.entering.active and not goes_down(
        run, source, (*generator.args, *generator.kwargs.values())
    ):
        return False
    needed = source in run.entering.deep or is_small(source) or run.program.enters(source)
    return run.budget.may_enter(source, needed, run.entering.entered)


def around(run: Run, generator: Generator, at: ast.AST, body: Callable[[Value], None]) -> Value:
    """Runs a generator; at each yield, runs `body` on the yielded value in the current frame. What it returns."""
    frame, loops = run.frame, run.loops

    def yielded(value: Value) -> None:
        inner = run.frame, run.loops
        run.frame, run.loops = frame, loops
        source = run.entering.active.pop()
        body(value)
        run.entering.active.append(source)
        run.frame, run.loops = inner

    function = generator.function
    return run.enter(function, generator.args, generator.kwargs, at, generator.exact, True, yielded)


def hand_over(run: Run, i: ir.Yield, on_yield: Callable[[Value], None]) -> None:
    """Models `yield value` and `yield from values` where the consumer is known: passes each value to it."""
    value: Value = Constant(None) if i.src is None else run.frame.registers[i.src]
    frame, result = run.frame, None
    if type(i.at).__name__ == "YieldFrom":
        result = _hand_over_each(run, value, i.at, on_yield)
    else:
        on_yield(value)
        result = on_yield.sent() if isinstance(on_yield, _Step) else None
    frame.registers[i.dst] = Unknown() if result is None else result


def _hand_over_each(run: Run, value: Value, at: ast.AST, on_yield: Callable[[Value], None]) -> Value | None:
    """`yield from value`; what the generator returns, if it is one."""
    value = protocols.iterator(run, value, at)
    inner = run.entering.generators.get(value)
    if inner is not None and _is_entered(run, inner):
        return around(run, inner, at, on_yield)
    push = value.push() if isinstance(value, Iteration) else None
    if push is not None:
        push(on_yield)
        return None
    exact, elements = iteration.iterate(run, value, at)
    run.inexact += not exact
    for element in elements:
        if run.path:
            on_yield(element)
    run.inexact -= not exact
    return None
