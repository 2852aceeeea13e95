"""Models lazy iterators (`map`, `zip`, `chain`, …), which compute an element only when it is taken."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .values import Scalar, Value

if TYPE_CHECKING:
    import ast
    from collections.abc import Callable, Sequence
    from typing import TypeAlias

    #: Whether these are all the elements, or stand for those of a loop; and the elements.
    Drawn: TypeAlias = "tuple[bool, list[Value]]"
    #: Runs something wherever an element is handed on.
    Push: TypeAlias = Callable[[Callable[[Value], None]], None]


class Iteration(Value):
    """What range, enumerate, zip and their kin return.

    `draw(None)` computes the elements; `draw(count)` the first so many, where it is known how many are asked for.
    Both are asked for once, when something goes over it: `map` calls nothing before. `push`: what runs the body of a
    loop between one element and the next, where something happens there. `step`: computes the next one alone.
    """

    __slots__ = ("_all", "_first", "counts", "draw", "over", "push", "step")

    def __init__(self, draw: Callable[[int | None], Drawn], counts: bool = False) -> None:
        self.draw = draw
        #: it counts from 0 up
        self.counts = counts
        #: what the call that made it was given
        self.over: Sequence[Value] = ()
        self.push: Callable[[], Push | None] = _none
        self.step: Callable[[ast.AST], Value] | None = None
        self._all: Drawn | None = None
        self._first: dict[int, list[Value]] = {}

    def all(self) -> Drawn:
        """All of them and True, or two that stand for a first and a last one."""
        if self._all is None:
            self._all = self.draw(None)
        return self._all

    def first(self, count: int) -> list[Value]:
        """The first so many elements: it is taken apart into that many."""
        if self._all is not None and self._all[0] and len(self._all[1]) >= count:
            return self._all[1][:count]
        known = self._first.get(count)
        if known is None:
            known = self._first[count] = self.draw(count)[1]
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
    """An iteration over elements that are there already."""

    def draw(count: int | None) -> Drawn:
        if count is None or len(elements) >= count:
            return exact, elements[:count]
        return exact, [*elements, *elements[-1:] * (count - len(elements))]

    return Iteration(draw, counts)


class Rising:
    """What counts the rounds of a loop up from 0: the first round is told from all others."""

    __slots__ = ("asked", "first")

    def __init__(self, first: Scalar) -> None:
        self.first = first
        #: the loop does tell them apart
        self.asked = False

    def holds(self, number: Scalar, op: str, other: object) -> bool | None:
        """Whether `number > 0` and its kin hold in the round of this number."""
        if type(other) is not int or (other, op) not in _OF_THE_FIRST:
            return None
        self.asked = True
        return (number is self.first) == _OF_THE_FIRST[other, op]


#: Comparisons that hold in the first round alone, and those that hold in all others.
_OF_THE_FIRST = {
    (0, "=="): True,
    (0, "<="): True,
    (1, "<"): True,
    (0, "!="): False,
    (0, ">"): False,
    (1, ">="): False,
}


def rise(numbers: Sequence[Scalar]) -> None:
    """These count the rounds of a loop, from 0 up."""
    rising = Rising(numbers[0]) if numbers else None
    for number in numbers:
        number.rises = rising


def falling() -> Iteration:
    """The numbers of a range that runs down to 0."""
    first, last = Scalar(), Scalar()
    first.falls = last.falls = last.last = True
    return of(False, [first, last])
