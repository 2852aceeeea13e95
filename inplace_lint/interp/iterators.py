"""Models lazy iterators (`map`, `zip`, `chain`, …), which compute an element only when it is taken."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING

from .values import Scalar, Unknown, Value

if TYPE_CHECKING:
    import ast
    from collections.abc import Callable, Sequence
    from typing import TypeAlias

    #: (True, all elements), or (False, elements that stand for the rounds of a loop).
    Drawn: TypeAlias = "tuple[bool, list[Value]]"
    #: Goes through the elements, and calls the given body with each where it is yielded.
    Push: TypeAlias = Callable[[Callable[[Value], None]], object]


class Iteration(Value):
    """A lazy iterator, as range, enumerate, zip and their kin return.

    `draw(None)` computes all elements, `draw(count)` the first `count`. Each is called at most once, when the iterator
    is consumed: `map` calls nothing before that. `push()` gives a function that interleaves the body of a loop with
    the code that computes the elements, if there is such code (`__next__`). `step` computes only the next element.
    """

    __slots__ = ("_all", "_first", "again", "counts", "draw", "over", "push", "step")

    def __init__(self, draw: Callable[[int | None], Drawn], counts: bool = False) -> None:
        self.draw = draw
        #: its elements are 0, 1, 2, …
        self.counts = counts
        #: it can be gone through again, as a range
        self.again = False
        #: the arguments of the call that made it
        self.over: Sequence[Value] = ()
        self.push: Callable[[], Push | None] = _none
        self.step: Callable[[ast.AST], Value] | None = None
        self._all: Drawn | None = None
        self._first: dict[int, list[Value]] = {}

    def all(self) -> Drawn:
        """(True, all elements), or (False, some that stand for the first to the last)."""
        if self._all is None:
            self._all = self.draw(None)
        return self._all

    def first(self, count: int) -> list[Value]:
        """The first `count` elements, for unpacking; unknown where there are none, as in what never returns."""
        if self._all is not None and self._all[0] and len(self._all[1]) >= count:
            return self._all[1][:count]
        known = self._first.get(count)
        if known is None:
            drawn = self.draw(count)[1]
            known = self._first[count] = [*drawn, *(Unknown() for _ in range(count - len(drawn)))]
        return known

    def backwards(self) -> Iteration:
        """The same elements, the last one first."""
        exact, elements = self.all()
        if self.counts and not exact:
            return falling()
        if not exact:
            elements = [Scalar() if isinstance(e, Scalar) else e for e in elements]
        return of(exact, elements[::-1])


def _none() -> None:
    return None


def of(exact: bool, elements: list[Value], counts: bool = False) -> Iteration:
    """An iterator over elements that are computed already."""

    def draw(count: int | None) -> Drawn:
        if count is None or len(elements) >= count:
            return exact, elements[:count]
        return exact, [*elements, *elements[-1:] * (count - len(elements))]

    return Iteration(draw, counts)


class Rising:
    """A loop counter that starts at 0: tests such as `i > 0` and `i == 1` tell the first two rounds from the others."""

    __slots__ = ("asked", "asked_second", "first", "round")

    def __init__(self, first: Scalar) -> None:
        self.first = first
        #: such a test was made, and one that tells the second round from those after it
        self.asked = self.asked_second = False
        #: the number of the round that a loop is in; None outside of a loop
        self.round: int | None = None

    def holds(self, number: Scalar, op: str, other: object) -> bool | None:
        """Whether a comparison such as `number > 0` holds in the round of `number`; None if that is not known."""
        if op not in RELATIONS or type(other) is not int:
            return None
        if other > 2 or (other == 2 and op not in ("<", ">=")):
            return None
        if other > 0 and (other, op) not in ((1, "<"), (1, ">=")):
            if self.round is None:
                return None
            self.asked_second = True
        self.asked = self.asked or other > 0 or (other == 0 and op not in ("<", ">="))
        # 2 stands for all rounds after the second.
        return bool(RELATIONS[op](0 if number is self.first else 1 if self.round == 1 else 2, other))


RELATIONS: dict[str, Callable[..., object]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def rise(numbers: Sequence[Scalar]) -> None:
    """Mark numbers as the values of one loop counter that starts at 0; the first is that of the first round."""
    rising = Rising(numbers[0]) if numbers else None
    for number in numbers:
        number.rises = rising


def falling() -> Iteration:
    """The numbers of a range that counts down to 0."""
    first, last = Scalar(), Scalar()
    first.falls = last.falls = last.last = True
    return of(False, [first, last])
