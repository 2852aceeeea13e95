"""Models functions that iterate or call a function they are given: builtins, `itertools`, `functools`, `operator`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..syntax.operators import FUNCTIONS
from . import effects, expressions
from .arguments import unknown
from .atoms import NOTHING, Box, Cell, Function, Partial, Store, united

if TYPE_CHECKING:
    from collections.abc import Callable

    from .arguments import Call
    from .atoms import Atoms


def _box(*items: Atoms) -> Atoms:
    """A container whose elements stand in unknown order."""
    return (Box(list(items), ordered=False),)


def _element(made: Call, place: int = 0) -> Atoms:
    """An element of the argument at this place."""
    return expressions.elements(made.scope, made.args[place]) if len(made.args) > place else NOTHING


def _enumerated(made: Call) -> Atoms:
    return _box((Box([NOTHING, _element(made)]),))


def _zipped(made: Call) -> Atoms:
    return _box((Box([expressions.elements(made.scope, value) for value in made.args]),))


def _mapped(made: Call) -> Atoms:
    if len(made.args) < 2:
        return unknown(made)
    given = [expressions.elements(made.scope, value) for value in made.args[1:]]
    return _box(made.calls(made.args[0], given))


def _starmapped(made: Call) -> Atoms:
    """itertools.starmap(func, rows): each row is spread."""
    if len(made.args) != 2:
        return unknown(made)
    row = _element(made, 1)
    if len(row) == 1 and isinstance(row[0], Box) and row[0].ordered:
        given = list(row[0].items)
    else:
        counts = [len(atom.source.parameters) for atom in made.args[0] if isinstance(atom, Function)]
        given = [expressions.elements(made.scope, row)] * max(counts, default=1)
    return _box(made.calls(made.args[0], given))


def _filtered(made: Call) -> Atoms:
    element = _element(made, 1)
    if len(made.args) == 2:
        made.calls(made.args[0], [element])
    return _box(element)


def _chained(made: Call) -> Atoms:
    return _box(*[expressions.elements(made.scope, value) for value in made.args])


def _chained_of(made: Call) -> Atoms:
    return _box(expressions.elements(made.scope, _element(made)))


def _repeated(made: Call) -> Atoms:
    return _box(*made.args[:1])


def _sliced(made: Call) -> Atoms:
    return _box(_element(made))


def _reduced(made: Call) -> Atoms:
    """functools.reduce(func, values, initial): each result is an argument of the next call."""
    if len(made.args) < 2:
        return unknown(made)
    return _folded(made, made.args[0], _element(made, 1), made.args[2:])


def _accumulated(made: Call) -> Atoms:
    """itertools.accumulate(values, func): as `reduce`, but yields every result."""
    func = made.args[1] if len(made.args) > 1 else made.kwargs.get("func", NOTHING)
    if not func:
        return _box(_element(made), _summed(made))
    return _box(_folded(made, func, _element(made), []))


def _folded(made: Call, func: Atoms, element: Atoms, initial: list[Atoms]) -> Atoms:
    total = united([element, *initial, *[v for name, v in made.kwargs.items() if name == "initial"]])
    for _ in range(2):
        total = united([total, made.calls(func, [total, element])])
    return total


def _summed(made: Call) -> Atoms:
    """sum(values): a new tensor that depends on the arguments, if one of them is a tensor."""
    given = made.given()
    return (Cell(Store(any(c.store.grad for c in given), tensor=False)),) if given else NOTHING


def _bound(made: Call) -> Atoms:
    return (Partial(made.args[0], made.args[1:], made.kwargs),) if made.args else NOTHING


def _operator(sign: str) -> Callable[[Call], Atoms]:
    """A model of a function of Python's `operator` module, given its sign."""

    def play(made: Call) -> Atoms:
        if len(made.args) != 2:
            return unknown(made)
        return effects.operator(made.scope, sign, made.args[0], made.args[1], None, None)

    return play


INTRINSICS: dict[str, Callable[[Call], Atoms]] = {
    "builtins.enumerate": _enumerated,
    "builtins.zip": _zipped,
    "itertools.zip_longest": _zipped,
    "builtins.map": _mapped,
    "builtins.filter": _filtered,
    "builtins.sum": _summed,
    "itertools.starmap": _starmapped,
    "itertools.chain": _chained,
    "itertools.chain.from_iterable": _chained_of,
    "itertools.repeat": _repeated,
    "itertools.islice": _sliced,
    "itertools.accumulate": _accumulated,
    "functools.reduce": _reduced,
    "functools.partial": _bound,
    **{dotted: _operator(sign) for dotted, sign in FUNCTIONS.items()},
}
