"""What loops go over, and what `a, b = value` takes apart."""

from __future__ import annotations

from . import containers, indexing, inherited
from .values import (
    ANY,
    Instance,
    Mapping_,
    Optimizer,
    Parameters,
    Phi,
    Scalar,
    Sequence_,
    Tensor,
    Unknown,
    Value,
    join,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    import ast

    from .run import Run

#: A loop over at most this many known elements is run element by element.
UNROLL = 4


def iterate(run: Run, value: Value, at: ast.AST) -> tuple[bool, list[Value]]:
    """The elements of a loop: (True, all of them), or (False, two that stand for a first and a last one)."""
    exact, elements = _iterate(run, inherited.contents(run, value), at)
    if not exact:
        for element in elements:
            containers.one_of_many(run, element)
            if isinstance(element, Sequence_):
                for inner in run.elements(element):
                    containers.one_of_many(run, inner)
    return exact, elements


def _iterate(run: Run, value: Value, at: ast.AST) -> tuple[bool, list[Value]]:
    value = run.settled(value)
    known = containers.items(run, value)
    if known is not None:
        if len(known) <= UNROLL:
            return True, known
        return False, [known[0], known[-1]]
    if isinstance(value, Iteration):
        return value.exact, value.elements
    if isinstance(value, Sequence_):
        element = run.state.get((value, ANY))
        if element is not None and value.kind == "fresh":
            return False, [containers.fresh_element(run, value, ("part", i)) for i in range(2)]
        if isinstance(element, Phi) and all(
            isinstance(a, (Tensor, Instance)) for _, a in element.alternatives
        ):
            # What each round of a loop appended: another tensor in each round of this one.
            return False, [element.alternatives[0][1], element.alternatives[-1][1]]
        if type(element) is Scalar:
            return False, [_like(element), _like(element)]
        if element is not None:
            return False, [element, element]
    if isinstance(value, Tensor) or (isinstance(value, Unknown) and value.tensor is not None):
        row = indexing.iterate(run, value, at)
        return False, [row, row]
    if isinstance(value, Parameters):
        return False, [value, value]
    if isinstance(value, Mapping_):
        return False, [Scalar(), Scalar()]
    if isinstance(value, Scalar):
        return False, [Scalar(), Scalar()]
    owner = value if isinstance(value, Unknown) and value.is_given() else None
    return False, [Unknown(owner), Unknown(owner)]


def _like(number: Scalar) -> Scalar:
    """Another of the same kind."""
    other = Scalar()
    other.number = number.number
    return other


class Iteration(Value):
    """What range, enumerate, zip and their kin return: the elements of each round."""

    __slots__ = ("counts", "elements", "exact")

    def __init__(self, exact: bool, elements: list[Value], counts: bool = False) -> None:
        self.exact = exact
        self.elements = elements
        #: it counts from 0 up
        self.counts = counts

    def backwards(self) -> Iteration:
        """The same elements, the last one first."""
        elements = self.elements[::-1]
        if not self.exact:
            elements = [Scalar() if isinstance(e, Scalar) else e for e in elements]
        return falling() if self.counts and not self.exact else Iteration(self.exact, elements)


def falling() -> Iteration:
    """The numbers of a range that runs down to 0."""
    first, last = Scalar(), Scalar()
    first.falls = last.falls = last.last = True
    return Iteration(False, [first, last])


def unpack(run: Run, value: Value, count: int, star: int, at: ast.AST) -> list[Value]:
    """The values for `count` targets, of which number `star` takes the rest."""
    alternatives = run.live(value)
    if len(alternatives) > 1:
        rows = [(guard, _unpack(run, atom, count, star, at)) for guard, atom in alternatives]
        return [join([(guard, row[i]) for guard, row in rows]) for i in range(count)]
    return _unpack(run, alternatives[0][1] if alternatives else value, count, star, at)


def _unpack(run: Run, value: Value, count: int, star: int, at: ast.AST) -> list[Value]:
    known = containers.items(run, value)
    if known is None and isinstance(value, Iteration) and value.exact:
        known = value.elements
    if known is not None:
        if star < 0 and len(known) == count:
            return known
        if star >= 0 and len(known) >= count - 1:
            rest = len(known) - (count - 1)
            middle = containers.make(run, "list", known[star : star + rest])
            return [*known[:star], middle, *known[star + rest :]]
        return [Unknown() for _ in range(count)]
    if isinstance(value, Unknown) and value.tensor is not None and value.tensor.storage.is_tensor():
        value = value.tensor
    if isinstance(value, Tensor):
        row = indexing.iterate(run, value, at)
        return [row for _ in range(count)]
    if isinstance(value, Sequence_):
        if value.kind == "fresh":
            return [containers.fresh_element(run, value, ("part", i)) for i in range(count)]
        element = run.state.get((value, ANY))
        return [Unknown() if element is None else containers.one_of_many(run, element) for _ in range(count)]
    if isinstance(value, (Scalar, Optimizer)):
        return [run.scalar(("part", value, i)) for i in range(count)]
    if isinstance(value, Unknown):
        parts = [run.member(value, i) for i in range(count)]
        run.parts.update(part for part in parts if isinstance(part, Unknown))
        return parts
    return [Unknown() for _ in range(count)]
