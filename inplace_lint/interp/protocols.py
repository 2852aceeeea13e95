"""Models loops over objects of the project's own classes: by `__iter__`, `__next__` or `__getitem__`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import containers, enums, inherited, lookup
from .class_value import ClassValue
from .frames import State
from .iterators import Iteration
from .joins import read
from .values import Bound, Constant, FunctionValue, Instance, Scalar, Sequence_, Unknown, Value

if TYPE_CHECKING:
    import ast
    from collections.abc import Callable, Hashable
    from typing import TypeGuard

    from .guards import Guard
    from .iterators import Drawn
    from .run import Run


def iterator(run: Run, value: Value, at: ast.AST) -> Value:
    """The result of `iter(value)` for an object of the project; any other value unchanged."""
    value = inherited.contents(run, run.settled(value))
    if isinstance(value, ClassValue) and enums.is_enum(value):
        members = [lookup.find(run, value.order(), name) for name in enums.names(value)]
        return containers.make(run, "list", [member for member in members if member is not None])
    if not isinstance(value, Instance):
        return value
    begin = method(run, value, "__iter__")
    given: Value = value
    if begin is not None:
        given = run.settled(run.call(begin, [], {}, at))
    if not isinstance(given, Instance):
        return inherited.contents(run, given)
    further = method(run, given, "__next__")
    if further is not None:
        return _stepped(run, lambda at: run.call(further, [], {}, at), at)
    items = method(run, given, "__getitem__") if begin is None else None
    if items is not None:
        return _stepped(run, lambda at: run.call(items, [Scalar()], {}, at), at)
    return given


def method(run: Run, obj: Instance, name: str) -> Bound | None:
    """A special method such as `__iter__`, if the class of the object defines it in the project."""
    found = lookup.find(run, obj.cls.order(), name)
    return Bound(found, [obj], {}) if isinstance(found, FunctionValue) else None


def next_of(run: Run, value: Value, at: ast.AST) -> Value:
    """next(value)."""
    further = method(run, value, "__next__") if isinstance(value, Instance) else None
    if further is not None:
        return run.call(further, [], {}, at)
    if isinstance(value, Iteration):
        return value.first(1)[0] if value.step is None else value.step(at)
    elements = containers.items(run, value) if isinstance(value, Sequence_) else None
    if elements is not None and len(elements) == 1:
        return elements[0]  # with more elements, it is not known how many were taken before
    return Unknown()


def _stepped(run: Run, step: Callable[[ast.AST], Value], at: ast.AST) -> Iteration:
    """An iterator whose `__next__`, or `__getitem__`, is code of the project: `step` calls it."""
    frame = run.frame

    def step_here() -> Value:
        outer, run.frame = run.frame, frame
        value = step(at)
        run.frame = outer
        return value

    def draw(count: int | None) -> Drawn:
        path = run.path
        found: list[Value] = []
        while len(found) < (2 if count is None else count):
            value = step_here()
            if not run.path:
                break  # `__next__` raised
            found.append(value)
        exact = not run.path or count is not None
        run.path = path
        return exact, found if exact or found else [Unknown(), Unknown()]

    def push(body: Callable[[Value], None]) -> None:
        before, trained = run.state, run.steps.trains
        run.state = State(before)
        run.inexact += 1
        for number in range(3):
            if not run.path or (number == 2 and (trained or not run.steps.trains)):
                break
            path = run.path
            value = step_here()
            ended, run.path = not run.path, path  # an end (`__next__` raised) ends only the loop
            if ended:
                break
            body(value)
        run.inexact -= 1
        changes = run.state.slots
        changes.update((key, some_number()) for key in counted(before, [(run.path, changes)]))
        run.state = before
        run.merge([(run.path, changes)])

    result = Iteration(draw)
    result.step, result.push = step, lambda: push
    return result


def counted(before: State, ends: list[tuple[Guard, dict[Hashable, Value]]]) -> list[Hashable]:
    """The state keys (names, attributes) whose constant number changed in a round: counters."""
    return [
        key
        for path, changes in ends
        if path
        for key, value in changes.items()
        if type(key) is tuple
        and (type(key[0]) is int or isinstance(key[0], Instance))
        and is_number(known := before.get(key))
        and is_number(after := read(value))
        and known.value != after.value
    ]


def some_number() -> Scalar:
    """An unknown int or float."""
    number = Scalar()
    number.number = True
    return number


def is_number(value: Value | None) -> TypeGuard[Constant]:
    return isinstance(value, Constant) and type(value.value) in (int, float)
