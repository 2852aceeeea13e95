"""Numbers the elements of a list of unknown length from its ends: `c[0]`, `c[1:][0]` and `c.pop()` are told apart.

An element has the place that it had when the list was made. Each end of a list has the place of the element there:
`append`, `insert(0, …)`, `pop()` and `popleft()` move an end, slices and copies begin with the ends of what they were
taken of, moved, and `c[::-1]` has them the other way round.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .frames import FIRST_PLACE, LAST_PLACE
from .storage import BACK, FRONT, ElementPlace
from .values import Constant, Sequence_, Unknown, Value

if TYPE_CHECKING:
    from collections.abc import Hashable

    from .run import Run
    from .slices import Slice


class End(Value):
    """The place of the first or last element of a list."""

    __slots__ = ("base", "number", "side")

    def __init__(self, base: object, side: str, number: int) -> None:
        self.base = base
        self.side = side
        self.number = number


def at(run: Run, sequence: Sequence_, index: int) -> ElementPlace:
    """The place of the element under a constant index."""
    end, steps = (
        (_end(run, sequence, FIRST_PLACE), index)
        if index >= 0
        else (_end(run, sequence, LAST_PLACE), -index - 1)
    )
    return ElementPlace(end.base, end.side, end.number + steps)


def somewhere() -> ElementPlace:
    """A place of which nothing is known."""
    return ElementPlace(object(), FRONT, 0)


def under(run: Run, sequence: Sequence_, index: object) -> ElementPlace:
    """The place of the element under an index that is not known, but has this identity."""
    end = _end(run, sequence, FIRST_PLACE)
    return ElementPlace(end.base, None, (end.side, end.number, index))


def move(run: Run, sequence: Sequence_, front: int = 0, back: int = 0) -> None:
    """Moves the ends of a list inwards by these numbers of elements; a negative one puts elements there."""
    for key, steps in ((FIRST_PLACE, front), (LAST_PLACE, back)):
        if steps:
            end = _end(run, sequence, key)
            # On paths that do not come here the end is where it was.
            run.bottom().slots.setdefault((sequence, key), _first(sequence, key))
            run.state.slots[(sequence, key)] = End(end.base, end.side, end.number + steps)


def forget(run: Run, sequence: Sequence_, *which: str) -> None:
    """Forgets which elements stand at the ends of a list, as it was put in another order, or at the given ends."""
    for key in which or (FIRST_PLACE, LAST_PLACE):
        run.bottom().slots.setdefault((sequence, key), _first(sequence, key))
        run.state.slots[(sequence, key)] = End(object(), FRONT if key == FIRST_PLACE else BACK, 0)


def follow(run: Run, made: Value, front: Value, back: Value) -> None:
    """Lets a new list begin with the first element of one and end with the last of another, perhaps the same."""
    for key, other in ((FIRST_PLACE, front), (LAST_PLACE, back)):
        if isinstance(made, Sequence_) and isinstance(other, (Sequence_, Unknown)):
            run.state.slots[(made, key)] = _end(run, other, key)


#: By index: the key of the element that stood for the first or last round of the latest loop over an unknown value.
_ROUNDS: dict[Hashable, str] = {0: "first round", -1: "last round"}


def of_round(run: Run, owner: Unknown | None, index: int) -> Unknown:
    """The first (0) or last (-1) element that a loop over an argument takes: what was read under that index, if it was.

    Otherwise each loop gets others: a loader gives new batches each time, and nobody takes them by an index.
    """
    if owner is None:
        return Unknown()
    known = run.state.get((owner, "member", index))
    if isinstance(known, Unknown):
        return known
    element = Unknown(owner)
    run.bottom().slots[(owner, "member", _ROUNDS[index])] = element
    return element


def under_index(run: Run, owner: Unknown, index: Hashable) -> Value:
    """`items[index]` of an argument: at the ends, what the latest loop over it took there."""
    if index in _ROUNDS:
        element = run.state.get((owner, "member", _ROUNDS[index]))
        if element is not None:
            run.bottom().slots[(owner, "member", index)] = element
    return run.member(owner, index)


def of_unknown(run: Run, place: ElementPlace) -> Value | None:
    """The element at a counted place of an unknown value that a list was made of, if that is not taken for a tensor."""
    if (
        not isinstance(place.base, Unknown)
        or place.base.tensor is not None
        or not isinstance(place.number, int)
    ):
        return None
    return under_index(run, place.base, place.number if place.side == FRONT else -place.number - 1)


def cut(run: Run, piece: Sequence_, whole: Sequence_, bounds: Slice) -> None:
    """Notes the ends of `whole[bounds]`."""
    start, stop, step = (part.value if isinstance(part, Constant) else part for part in bounds.parts)
    if step == -1 and start is None and stop is None:
        run.state.slots[(piece, FIRST_PLACE)] = _end(run, whole, LAST_PLACE)
        run.state.slots[(piece, LAST_PLACE)] = _end(run, whole, FIRST_PLACE)
    elif step in (None, 1):
        for key, bound, outwards in ((FIRST_PLACE, start, -1), (LAST_PLACE, stop, 1)):
            known = 0 if bound is None else bound
            if isinstance(known, int) and (bound is None or known * outwards <= 0):
                end = _end(run, whole, key)
                run.state.slots[(piece, key)] = End(end.base, end.side, end.number + abs(known))


def _end(run: Run, sequence: Sequence_ | Unknown, key: str) -> End:
    """The first or last element's place; where it differs between paths, of a base of its own."""
    known = run.state.get((sequence, key))
    if known is None or isinstance(known, End):
        return known or _first(sequence, key)
    return End(known, FRONT if key == FIRST_PLACE else BACK, 0)


def _first(sequence: Sequence_ | Unknown, key: str) -> End:
    """Where an end of a list is when it is made."""
    return End(sequence, FRONT if key == FIRST_PLACE else BACK, 0)
