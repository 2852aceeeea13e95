"""Represents path conditions (guards): Boolean functions of the outcomes of the tests seen so far.

Each test (`if flag:`) gets a *literal*, one bit. Two facts meet only if their guards can hold together. This keeps
exclusive branches apart, and lets two tests of the same `c` correlate, without forking the whole state.

Most guards are conjunctions of the branches that a path took, so the literals that must hold, and those that must not,
are kept as two bit masks. The rest of the condition is a BDD over the other literals. Equal guards are one object.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from . import diagrams
from .diagrams import FALSE, TRUE, Diagram, conjoined

if TYPE_CHECKING:
    from collections.abc import Sequence

T = TypeVar("T")


class Guard:
    """A path condition: masks of all literals that must hold and must not, and in `rest` what else must hold."""

    __slots__ = ("negative", "positive", "rest")

    def __init__(self, positive: int, negative: int, rest: Diagram) -> None:
        self.positive = positive
        self.negative = negative
        self.rest = rest


class _Never(Guard):
    """The guard that never holds, the only one that is falsy. Its masks contain every literal and its opposite."""

    __slots__ = ()

    def __bool__(self) -> bool:
        return False


ALWAYS = Guard(0, 0, TRUE)
NEVER: Guard = _Never(-1, -1, FALSE)
#: A guard whose diagram has more nodes than this is weakened: to the literals that all its paths share, and to the
#: literal WEAKENED, which marks the guard as a guess.
_NODES = 64
WEAKENED = 1
_guards: dict[tuple[int, int, Diagram], Guard] = {(0, 0, TRUE): ALWAYS}
_both: dict[tuple[Guard, Guard], Guard] = {}
_either: dict[tuple[Guard, Guard], Guard] = {}


def forget() -> None:
    """Forgets all guards. One still in use must not be compared with new ones: equal ones are then not identical."""
    diagrams.forget()
    _both.clear()
    _either.clear()
    _guards.clear()
    _guards[0, 0, TRUE] = ALWAYS


def count() -> int:
    """The number of guards and diagrams that exist."""
    return len(_guards) + diagrams.count()


def literal(bit: int, holds: bool) -> Guard:
    """The guard of one outcome of one test."""
    return _guard(1 << bit, 0, TRUE) if holds else _guard(0, 1 << bit, TRUE)


def conjunction(positive: int, negative: int) -> Guard:
    """The guard under which the literals in mask `positive` hold and those in `negative` do not."""
    return NEVER if positive & negative else _guard(positive, negative, TRUE)


def both(a: Guard, b: Guard) -> Guard:
    """The conjunction: the guard under which both a and b hold."""
    if a is ALWAYS or a is b:
        return b
    if b is ALWAYS:
        return a
    positive, negative = a.positive | b.positive, a.negative | b.negative
    if positive & negative:
        return NEVER
    if a.rest is TRUE and b.rest is TRUE:
        return _guard(positive, negative, TRUE)
    known = _both.get((a, b))
    if known is None:
        if len(_both) > diagrams.KEPT:
            _both.clear()
        rest = conjoined(
            diagrams.where(a.rest, b.positive, b.negative), diagrams.where(b.rest, a.positive, a.negative)
        )
        known = _both[a, b] = _bounded(_guard(positive, negative, rest))
    return known


def either(a: Guard, b: Guard) -> Guard:
    """The disjunction: the guard under which a or b holds."""
    if a is b or b is NEVER:
        return a
    if a is NEVER:
        return b
    known = _either.get((a, b))
    if known is None:
        if len(_either) > diagrams.KEPT:
            _either.clear()
        positive, negative = a.positive & b.positive, a.negative & b.negative
        one, other = _beside(a, positive, negative), _beside(b, positive, negative)
        try:
            # No literal is shared by all paths of the result, so that it is weakened where it has too many nodes.
            known = _bounded(_guard(positive, negative, diagrams.disjoined(one, other, _NODES)))
        except diagrams.TooLarge:
            known = _weakened(positive, negative)
        _either[a, b] = known
    return known


def compatible(a: Guard, b: Guard) -> bool:
    """Whether both can hold in one run."""
    if a.positive & b.negative or a.negative & b.positive:
        return False
    if a.rest is TRUE and b.rest is TRUE:
        return True
    one, other = (
        diagrams.where(a.rest, b.positive, b.negative),
        diagrams.where(b.rest, a.positive, a.negative),
    )
    return one is not FALSE and other is not FALSE and conjoined(one, other) is not FALSE


def implies(a: Guard, b: Guard) -> bool:
    """Whether b holds in every run in which a holds."""
    if b is ALWAYS or a is b or a is NEVER:
        return True
    if b.positive & ~a.positive or b.negative & ~a.negative:
        return False
    rest = diagrams.where(b.rest, a.positive, a.negative)
    return rest is TRUE or conjoined(a.rest, rest) is a.rest


def relative(a: Guard, path: Guard) -> Guard:
    """The guard a without the literals of `path`, for use by code that is on that path.

    The literal WEAKENED is kept, since the paths may join before the guard is used.
    """
    return a if path is NEVER else where(a, path.positive & ~WEAKENED, path.negative)


def minus(a: Guard, b: Guard) -> Guard:
    """The guard under which a holds and b does not.

    If b is weakened, and so only a guess, the result is a guess as well.
    """
    if b is NEVER or not (b.positive | b.rest.support) & WEAKENED:
        return _without(a, b)
    return both(_without(a, where(b, 0, WEAKENED)), literal(0, True))


def outside(facts: Sequence[tuple[Guard, T]], guard: Guard) -> list[tuple[Guard, T]]:
    """The facts where a guard does not hold; none of a fact of which a guess would leave some where it does."""
    left = [(minus(g, guard), one) for g, one in facts]
    return [(g, one) for g, one in left if g and not compatible(g, guard)]


def where(guard: Guard, positive: int, negative: int) -> Guard:
    """The guard restricted to known outcomes: the literals in `positive` hold, those in `negative` do not."""
    if guard.positive & negative or guard.negative & positive:
        return NEVER
    return _guard(
        guard.positive & ~positive, guard.negative & ~negative, diagrams.where(guard.rest, positive, negative)
    )


def whatever(guard: Guard, tests: int) -> Guard:
    """The guard under which this one holds for all outcomes of these tests."""
    rest = diagrams.negated(diagrams.without(diagrams.negated(guard.rest), tests))
    return (
        NEVER if (guard.positive | guard.negative) & tests else _guard(guard.positive, guard.negative, rest)
    )


def apart_from(guard: Guard, tests: int) -> Guard:
    """The guard under which this one holds for some outcome of these tests."""
    return _guard(guard.positive & ~tests, guard.negative & ~tests, diagrams.without(guard.rest, tests))


def tests(guard: Guard) -> int:
    """The mask of the tests that occur in a guard."""
    return 0 if guard is NEVER else guard.positive | guard.negative | guard.rest.support


def ways(guard: Guard, most: int) -> tuple[tuple[int, int], ...]:
    """A guard as a sum of products, thinned to `most` paths: the masks of literals that must hold and must not."""
    rest = diagrams.thinned(guard.rest, most)
    return tuple((guard.positive | p, guard.negative | n) for p, n in diagrams.ways(rest))


def _guard(positive: int, negative: int, rest: Diagram) -> Guard:
    """The guard of these literals and of a diagram in which none of them occurs."""
    if rest is FALSE:
        return NEVER
    if rest.positive or rest.negative:
        positive, negative = positive | rest.positive, negative | rest.negative
        rest = diagrams.where(rest, rest.positive, rest.negative)
    key = (positive, negative, rest)
    known = _guards.get(key)
    if known is None:
        known = _guards[key] = Guard(positive, negative, rest)
    return known


def _bounded(guard: Guard) -> Guard:
    """The guard, weakened if its diagram is too large to go on with."""
    if guard.rest.paths <= _NODES or not diagrams.has_more_nodes(guard.rest, _NODES):
        return guard
    return _weakened(guard.positive, guard.negative)


def _weakened(positive: int, negative: int) -> Guard:
    """The guess that is made of a guard with these literals whose diagram is too large."""
    return conjunction(positive | WEAKENED, negative & ~WEAKENED)


def _beside(guard: Guard, positive: int, negative: int) -> Diagram:
    """The condition of a guard beyond these of its literals, as a diagram."""
    return conjoined(diagrams.cube(guard.positive & ~positive, guard.negative & ~negative), guard.rest)


def _without(a: Guard, b: Guard) -> Guard:
    """The guard under which a holds and b does not, whether or not b is weakened."""
    left = where(b, a.positive, a.negative)  # b, restricted to a's literals
    if left is NEVER:
        return a
    return _bounded(_guard(a.positive, a.negative, conjoined(a.rest, diagrams.negated(_beside(left, 0, 0)))))
