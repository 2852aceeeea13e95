"""Represents path conditions (guards): Boolean functions of the outcomes of the tests seen so far.

Each test (`if flag:`) gets a *literal*, one bit. Two facts meet only if their guards can hold together. This keeps
exclusive branches apart, and lets two tests of the same `c` correlate, without forking the whole state.

Most guards are conjunctions of the branches that a path took, so the literals that must hold, and those that must not,
are kept as two bit masks. The rest of the condition is a BDD over the other literals. Equal guards are one object.
"""

from __future__ import annotations

from . import diagrams
from .diagrams import FALSE, TRUE, Diagram, conjoined


class Guard:
    """`positive` and `negative` are the masks of all literals that must and must not hold; `rest` is what else must."""

    __slots__ = ("negative", "positive", "rest")

    def __init__(self, positive: int, negative: int, rest: Diagram) -> None:
        self.positive = positive
        self.negative = negative
        self.rest = rest


class _Never(Guard):
    """The guard that never holds is the only one that is not true. It implies every literal and its opposite."""

    __slots__ = ()

    def __bool__(self) -> bool:
        return False


ALWAYS = Guard(0, 0, TRUE)
NEVER: Guard = _Never(-1, -1, FALSE)
#: A guard of more nodes is weakened to what all its paths have in common, and to this literal: that it is so is only
#: guessed at.
_NODES = 128
WEAKENED = 1
_guards: dict[tuple[int, int, Diagram], Guard] = {(0, 0, TRUE): ALWAYS}
_both: dict[tuple[Guard, Guard], Guard] = {}


def forget() -> None:
    """Let go all guards: those that are still in use are not compared with new ones."""
    diagrams.forget()
    _both.clear()
    _guards.clear()
    _guards[0, 0, TRUE] = ALWAYS


def count() -> int:
    """How many guards, and parts of guards, are known."""
    return len(_guards) + diagrams.count()


def literal(bit: int, holds: bool) -> Guard:
    """The guard of one outcome of one test."""
    return _guard(1 << bit, 0, TRUE) if holds else _guard(0, 1 << bit, TRUE)


def conjunction(positive: int, negative: int) -> Guard:
    """The guard of these literals: masks of those that must hold, and of those that must not."""
    return NEVER if positive & negative else _guard(positive, negative, TRUE)


def both(a: Guard, b: Guard) -> Guard:
    """The guard under which a and b hold."""
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
    """The guard under which a or b holds."""
    if a is b or b is NEVER:
        return a
    if a is NEVER:
        return b
    positive, negative = a.positive & b.positive, a.negative & b.negative
    rest = diagrams.disjoined(_beside(a, positive, negative), _beside(b, positive, negative))
    return _bounded(_guard(positive, negative, rest))


def compatible(a: Guard, b: Guard) -> bool:
    """Whether both can hold in one run."""
    if a.positive & b.negative or a.negative & b.positive:
        return False
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
    """a, for those who already know that they are on `path`: the path's literals are left out.

    That a is only guessed at stays: the paths may meet again before it is asked for.
    """
    return a if path is NEVER else where(a, path.positive & ~WEAKENED, path.negative)


def minus(a: Guard, b: Guard) -> Guard:
    """The guard under which a holds and b does not.

    Where b is only guessed at, so is what remains of a.
    """
    if b is NEVER or not (b.positive | b.rest.support) & WEAKENED:
        return _without(a, b)
    return both(_without(a, where(b, 0, WEAKENED)), literal(0, True))


def where(guard: Guard, positive: int, negative: int) -> Guard:
    """What remains of a guard where these literals are known to hold, and those not to."""
    if guard.positive & negative or guard.negative & positive:
        return NEVER
    return _guard(
        guard.positive & ~positive, guard.negative & ~negative, diagrams.where(guard.rest, positive, negative)
    )


def whatever(guard: Guard, tests: int) -> Guard:
    """The guard under which this one holds whatever these tests say."""
    rest = diagrams.negated(diagrams.without(diagrams.negated(guard.rest), tests))
    return (
        NEVER if (guard.positive | guard.negative) & tests else _guard(guard.positive, guard.negative, rest)
    )


def apart_from(guard: Guard, tests: int) -> Guard:
    """The guard under which this one holds for some outcomes of these tests."""
    return _guard(guard.positive & ~tests, guard.negative & ~tests, diagrams.without(guard.rest, tests))


def tests(guard: Guard) -> int:
    """The mask of the tests that a guard speaks of."""
    return 0 if guard is NEVER else guard.positive | guard.negative | guard.rest.support


def ways(guard: Guard, most: int) -> tuple[tuple[int, int], ...]:
    """So many alternatives of a guard, or fewer, if these are all: the literals that must and must not hold in each."""
    rest = diagrams.thinned(guard.rest, most)
    return tuple((guard.positive | p, guard.negative | n) for p, n in diagrams.ways(rest))


def _guard(positive: int, negative: int, rest: Diagram) -> Guard:
    """The guard of these literals and the rest, which speaks of none of them."""
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
    """The guard, weakened where it has more paths, or more nodes, than it pays to go on with."""
    if guard.rest.paths <= _NODES or not diagrams.has_more_nodes(guard.rest, _NODES):
        return guard
    return conjunction(guard.positive | WEAKENED, guard.negative & ~WEAKENED)


def _beside(guard: Guard, positive: int, negative: int) -> Diagram:
    """What a guard says beside these of its literals."""
    return conjoined(diagrams.cube(guard.positive & ~positive, guard.negative & ~negative), guard.rest)


def _without(a: Guard, b: Guard) -> Guard:
    """The guard under which a holds and b does not."""
    left = where(b, a.positive, a.negative)  # of b, where a's literals hold
    if left is NEVER:
        return a
    return _bounded(_guard(a.positive, a.negative, conjoined(a.rest, diagrams.negated(_beside(left, 0, 0)))))
