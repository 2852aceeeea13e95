"""Models Python's functional tools: `zip`, `enumerate`, `map`, `sum`, `partial`, and those of `itertools`."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from . import containers, iteration, iterators, operator_functions, operators, protocols
from .guards import both
from .values import Bound, Constant, Scalar, Unknown, Value

if TYPE_CHECKING:
    import ast
    from collections.abc import Callable, Mapping, Sequence

    from .frames import Frame
    from .iterators import Drawn, Push
    from .run import Run

    Play = Callable[[Run, Sequence[Value], Mapping[str, Value], ast.AST], Value]

NONE = Constant(None)
#: An `itertools.repeat` with more repetitions than this is sampled, as a long loop is.
_REPEATED = 8
#: The number of rounds run of a loop over a pushed iterator: an `islice` that stops sooner is drawn instead.
_ROUNDS = 3


def _lazy(
    run: Run, draw: Callable[[int | None], Drawn], push: Callable[[], Push | None] | None = None
) -> Value:
    """An iteration whose elements are computed when it is consumed, in the frame that created it."""
    frame = run.frame

    def draw_here(count: int | None) -> Drawn:
        outer, run.frame = run.frame, frame
        drawn = draw(count)
        run.frame = outer
        return drawn

    made = iterators.Iteration(draw_here)
    if push is not None:
        made.push = push
    return made


def _iterators(run: Run, values: Sequence[Value], at: ast.AST) -> list[Value]:
    """Calls `iter` on those of the values that are project objects; the others stay as they are."""
    return [protocols.iterator(run, value, at) for value in values]


def _pushed(run: Run, value: Value, make: Callable[[Value, int, bool], Value]) -> Callable[[], Push | None]:
    """A push that passes on `make(element, index)` for each element that `value` pushes; None if it pushes none."""

    def push() -> Push | None:
        inner = value.push() if isinstance(value, iterators.Iteration) else None
        return None if inner is None else partial(_hand_on, run, inner, make, run.frame)

    return push


def _hand_on(
    run: Run,
    push: Push,
    make: Callable[[Value, int, bool], Value],
    frame: Frame,
    body: Callable[[Value], None],
) -> None:
    """Runs `body` on `make(element, index, exact)` for each element that `push` yields; `make` runs in `frame`.

    `exact` is False if elements before it may have been left out.
    """
    number, exact = 0, True
    inexact, path = run.inexact, run.path

    def each(value: Value) -> None:
        nonlocal number, exact
        exact = exact and run.inexact == inexact and run.path is path
        outer, run.frame = run.frame, frame
        made = make(value, number, exact)
        run.frame = outer
        number += 1
        body(made)

    push(each)


def _draw(run: Run, value: Value, count: int | None, at: ast.AST) -> Drawn:
    """The elements of a value: all of them, or the first `count`."""
    if count is None:
        return iteration.iterate(run, value, at)
    return True, iteration.take(run, value, count, at)


def _rows(
    run: Run, values: Sequence[Value], count: int | None, at: ast.AST
) -> tuple[bool, list[list[Value]]]:
    """The rows of a `zip` over several values; the flag tells whether they are all the rows, and not samples."""
    held = [containers.items(run, value) for value in values]
    columns = [_draw(run, value, count, at) for value in values]
    if not all(elements for _, elements in columns):
        return all(column[0] for column in columns), []
    # The shortest of the columns that are known ends it: the others are taken to be as long.
    known = [len(elements) for exact, elements in columns if exact]
    for number, longer in enumerate(held):
        if known and not columns[number][0] and longer is not None and len(longer) >= min(known):
            columns[number] = True, longer[: min(known)]
    count = min(known) if known else max(len(elements) for _, elements in columns)
    exact = bool(known)
    rows = [[_in_row(known, elements, i, count) for known, elements in columns] for i in range(count)]
    return exact, rows


def _in_row(known: bool, elements: list[Value], row: int, count: int) -> Value:
    """The element of a column in one of `count` rows; a sampled column has its last sample in the last row."""
    if not known and len(elements) > 1:
        return elements[-1] if row == count - 1 else elements[min(row, len(elements) - 2)]
    return elements[min(row, len(elements) - 1)]


def _zip(run: Run, args: Sequence[Value], kwargs: Mapping[str, Value], at: ast.AST) -> Value:
    given = _iterators(run, args, at)

    def draw(count: int | None) -> Drawn:
        exact, rows = _rows(run, given, count, at)
        return exact, [containers.make(run, "tuple", row) for row in rows]

    def push() -> Push | None:
        return _side_by_side(run, given, at, lambda row: containers.make(run, "tuple", row))

    return _lazy(run, draw, push) if args else Unknown()


def _side_by_side(
    run: Run, values: Sequence[Value], at: ast.AST, make: Callable[[list[Value]], Value]
) -> Push | None:
    """A push of rows over several values, driven by the first of them that pushes; None if none does."""
    found = [i for i, value in enumerate(values) if isinstance(value, iterators.Iteration) and value.push()]
    if not found:
        return None
    place = found[0]
    others = [_draw(run, other, None, at)[1] for other in (*values[:place], *values[place + 1 :])]

    def row(element: Value, number: int, exact: bool) -> Value:
        beside = [column[min(number, len(column) - 1)] if column else Unknown() for column in others]
        return make([*beside[:place], element, *beside[place:]])

    return _pushed(run, values[place], row)()


def _enumerate(run: Run, args: Sequence[Value], kwargs: Mapping[str, Value], at: ast.AST) -> Value:
    start = args[1] if len(args) > 1 else kwargs.get("start", Constant(0))
    given = _iterators(run, args[:1], at)

    def numbered(element: Value, number: int, exact: bool) -> Value:
        first = start.value if isinstance(start, Constant) else None
        index = Constant(number + first) if exact and isinstance(first, int) else Scalar()
        return containers.make(run, "tuple", [index, element])

    def draw(count: int | None) -> Drawn:
        exact, elements = _draw(run, given[0], count, at)
        pairs: list[Value] = []
        counters: list[Scalar] = []
        for i, element in enumerate(elements):
            number: Value = Constant(i)
            if not exact:
                counter = Scalar()
                counter.bound = _length(run, args[0])
                counter.last = i == len(elements) - 1
                counters.append(counter)
                number = counter
            if not isinstance(start, Constant) or start.value != 0:
                plain = isinstance(start, (Constant, Scalar))
                number = operators.binary(run, "+", number, start, at) if plain else Scalar()
            pairs.append(containers.make(run, "tuple", [number, element]))
        iterators.rise(counters)
        return exact, pairs

    return _lazy(run, draw, _pushed(run, given[0], numbered)) if args else Unknown()


def _length(run: Run, value: Value) -> Value:
    count = containers.length(run, value)
    return run.scalar(("len", value)) if count is None else Constant(count)


def _reversed(run: Run, args: Sequence[Value], kwargs: Mapping[str, Value], at: ast.AST) -> Value:
    if not args:
        return Unknown()
    value = args[0]
    if isinstance(value, iterators.Iteration):
        return value.backwards()

    def draw(count: int | None) -> Drawn:
        exact, elements = _draw(run, value, count, at)
        return exact, [Scalar() if not exact and isinstance(e, Scalar) else e for e in elements[::-1]]

    return _lazy(run, draw)


def _map(run: Run, args: Sequence[Value], kwargs: Mapping[str, Value], at: ast.AST) -> Value:
    if len(args) < 2:
        return Unknown()
    given = _iterators(run, args[1:], at)

    def draw(count: int | None) -> Drawn:
        exact, rows = _rows(run, given, count, at)
        return exact, [run.call(args[0], row, {}, at) for row in rows]

    def push() -> Push | None:
        return _side_by_side(run, given, at, lambda row: run.call(args[0], row, {}, at))

    return _lazy(run, draw, push)


def _starmap(run: Run, args: Sequence[Value], kwargs: Mapping[str, Value], at: ast.AST) -> Value:
    if len(args) != 2:
        return Unknown()

    def draw(count: int | None) -> Drawn:
        exact, rows = _draw(run, args[1], count, at)
        return exact, [_call_spread(run, args[0], row, at) for row in rows]

    return _lazy(run, draw)


def _call_spread(run: Run, func: Value, row: Value, at: ast.AST) -> Value:
    given = containers.spread(run, row)
    if given is None:
        return run.call(func, containers.elements_of(run, row)[:1], {}, at, exact=False)
    return run.call(func, given, {}, at)


def _filter(run: Run, args: Sequence[Value], kwargs: Mapping[str, Value], at: ast.AST) -> Value:
    if len(args) != 2:
        return Unknown()

    def draw(count: int | None) -> Drawn:
        exact, elements = iteration.iterate(run, args[1], at)
        kept: list[Value] = []
        path = run.path
        for element in elements:
            keep = args[0]
            by_itself = isinstance(keep, Constant) and keep.value is None
            test = element if by_itself else run.call(keep, [element], {}, at)
            true, false = run.split(test)
            run.path = both(path, true)
            if run.path:
                kept.append(run.settled(element))
                exact = exact and not both(path, false)
            run.path = path
        return exact, kept

    return _lazy(run, draw)


def _chain(run: Run, args: Sequence[Value], kwargs: Mapping[str, Value], at: ast.AST) -> Value:
    given = _iterators(run, args, at)

    def draw(count: int | None) -> Drawn:
        parts = [(True, value) for value in given]
        whole = containers.make_of_parts(run, "list", parts)
        if count is not None:
            return True, iteration.take(run, whole, count, at)
        drawn = [iteration.iterate(run, value, at) for value in given]
        return all(exact for exact, _ in drawn), [element for _, elements in drawn for element in elements]

    def push() -> Push | None:
        pushes = [value.push() if isinstance(value, iterators.Iteration) else None for value in given]
        return partial(one_by_one, pushes) if any(pushes) else None

    def one_by_one(pushes: Sequence[Push | None], body: Callable[[Value], None]) -> None:
        for value, inner in zip(given, pushes):
            if inner is not None:
                inner(body)
            else:
                for element in iteration.iterate(run, value, at)[1]:
                    body(element)

    return _lazy(run, draw, push)


def _chain_of(run: Run, args: Sequence[Value], kwargs: Mapping[str, Value], at: ast.AST) -> Value:
    """itertools.chain.from_iterable."""

    def draw(count: int | None) -> Drawn:
        exact, inner = iteration.iterate(run, args[0], at)
        drawn = [iteration.iterate(run, value, at) for value in inner]
        every = [element for _, elements in drawn for element in elements]
        return exact and all(known for known, _ in drawn), every

    return _lazy(run, draw) if args else Unknown()


def _repeat(run: Run, args: Sequence[Value], kwargs: Mapping[str, Value], at: ast.AST) -> Value:
    """`itertools.repeat(value, times)`: a small known number of elements, else two samples."""
    if not args:
        return Unknown()
    times = args[1] if len(args) > 1 else kwargs.get("times")
    if isinstance(times, Constant) and isinstance(times.value, int) and times.value <= _REPEATED:
        return iterators.of(True, [args[0]] * times.value)
    return iterators.of(False, [args[0]] * 2)


def _are_bounds(bounds: Sequence[object]) -> bool:
    """Whether `itertools.islice` takes these: no more than three, none negative, the step not 0."""
    numbers = [bound for bound in bounds if isinstance(bound, int)]
    return len(bounds) <= 3 and all(number >= 0 for number in numbers) and bounds[2:] != [0]


def _islice(run: Run, args: Sequence[Value], kwargs: Mapping[str, Value], at: ast.AST) -> Value:
    """`itertools.islice(values, [start,] stop[, step])`: exact if the bounds and all elements are known."""
    bounds = [
        a.value for a in args[1:] if isinstance(a, Constant) and (a.value is None or type(a.value) is int)
    ]

    given = _iterators(run, args[:1], at)

    def draw(count: int | None) -> Drawn:
        exact, elements = iteration.iterate(run, given[0], at)
        if exact and len(bounds) == len(args) - 1 and _are_bounds(bounds):
            return True, elements[slice(*bounds)]
        return False, elements

    if len(args) < 2:
        return Unknown()
    # An `islice` that stops soon is not pushed, since it ends the loop between two elements.
    soon = len(bounds) == len(args) - 1 and any(type(bound) is int and bound < _ROUNDS for bound in bounds)
    return _lazy(run, draw, None if soon else _pushed(run, given[0], lambda element, number, exact: element))


def _accumulate(run: Run, args: Sequence[Value], kwargs: Mapping[str, Value], at: ast.AST) -> Value:
    """itertools.accumulate(values, func): each result goes into the next."""

    def draw(count: int | None) -> Drawn:
        exact, elements = _draw(run, args[0], count, at)
        func = args[1] if len(args) > 1 else kwargs.get("func", NONE)
        initial = kwargs.get("initial", NONE)
        made = [] if _is_none(initial) else [initial]
        for element in elements:
            made.append(_joined(run, func, made[-1], element, at) if made else element)
        return exact, made[:count]

    return _lazy(run, draw) if args else Unknown()


def _reduce(run: Run, args: Sequence[Value], kwargs: Mapping[str, Value], at: ast.AST) -> Value:
    """functools.reduce(func, values[, initial])."""
    if len(args) < 2:
        return Unknown()
    _, elements = iteration.iterate(run, args[1], at)
    total = args[2] if len(args) > 2 else kwargs.get("initial")
    for element in elements:
        total = element if total is None else _joined(run, args[0], total, element, at)
    return Unknown() if total is None else total


def _sum(run: Run, args: Sequence[Value], kwargs: Mapping[str, Value], at: ast.AST) -> Value:
    """sum(tensors): a chain of additions."""
    if not args:
        return Unknown()
    _, elements = iteration.iterate(run, args[0], at)
    total: Value | None = args[1] if len(args) > 1 else kwargs.get("start")
    for element in elements:
        total = element if total is None else operators.binary(run, "+", total, element, at)
    return Constant(0) if total is None else total


def _joined(run: Run, func: Value, total: Value, element: Value, at: ast.AST) -> Value:
    if _is_none(func):
        return operators.binary(run, "+", total, element, at)
    return run.call(func, [total, element], {}, at)


def _is_none(value: Value) -> bool:
    return isinstance(value, Constant) and value.value is None


def _partial(run: Run, args: Sequence[Value], kwargs: Mapping[str, Value], at: ast.AST) -> Value:
    return Bound(args[0], list(args[1:]), dict(kwargs)) if args else Unknown()


INTRINSICS: dict[str, Play] = {
    **operator_functions.INTRINSICS,
    "builtins.zip": _zip,
    "builtins.enumerate": _enumerate,
    "builtins.reversed": _reversed,
    "builtins.map": _map,
    "builtins.filter": _filter,
    "builtins.sum": _sum,
    "itertools.starmap": _starmap,
    "itertools.chain": _chain,
    "itertools.chain.from_iterable": _chain_of,
    "itertools.repeat": _repeat,
    "itertools.islice": _islice,
    "itertools.accumulate": _accumulate,
    "functools.reduce": _reduce,
    "functools.partial": _partial,
}
