"""Implements reduced ordered binary decision diagrams (BDDs) over the program's tests. Equal diagrams are one object.

The latest test is at the root. After R. E. Bryant, "Graph-based algorithms for Boolean function manipulation", 1986.
"""

from __future__ import annotations

import sys


class Diagram:
    """A BDD node: the diagram where the test of its bit fails (`low`), and where that test holds (`high`).

    `positive` and `negative` are masks of the tests that must and must not hold for the diagram to be true, `support`
    is the mask of all tests in it; `paths` counts its paths to TRUE.
    """

    __slots__ = ("bit", "high", "low", "negative", "paths", "positive", "support")

    low: Diagram
    high: Diagram

    def __init__(self, bit: int, paths: int) -> None:
        self.bit = bit
        self.paths = paths
        self.positive = self.negative = self.support = 0


TRUE, FALSE = Diagram(-1, 1), Diagram(-1, 0)
#: A cache of results is cleared when it has more entries than this.
KEPT = 200_000
_nodes: dict[tuple[int, Diagram, Diagram], Diagram] = {}
_and: dict[tuple[Diagram, Diagram], Diagram] = {}
_or: dict[tuple[Diagram, Diagram], Diagram] = {}
_not: dict[Diagram, Diagram] = {}
_restricted: dict[tuple[Diagram, int, int], Diagram] = {}
_without: dict[tuple[Diagram, int], Diagram] = {}
_large: dict[tuple[Diagram, int], bool] = {}
_ways: dict[Diagram, tuple[tuple[int, int], ...]] = {}


def forget() -> None:
    """Forgets all diagrams. One still in use must not be compared with new ones: equal ones are then not identical."""
    for known in (_nodes, _and, _or, _not, _restricted, _without, _large, _ways):
        known.clear()


def count() -> int:
    """The number of diagrams that exist."""
    return len(_nodes)


def node(bit: int, low: Diagram, high: Diagram) -> Diagram:
    """The diagram that branches on a test, which must be later than all tests in `low` and `high`."""
    if low is high:
        return low
    key = (bit, low, high)
    known = _nodes.get(key)
    if known is not None:
        return known
    made = _nodes[key] = Diagram(bit, low.paths + high.paths)
    made.low, made.high = low, high
    test = 1 << bit
    made.support = low.support | high.support | test
    if low is FALSE:
        made.positive, made.negative = high.positive | test, high.negative
    elif high is FALSE:
        made.positive, made.negative = low.positive, low.negative | test
    else:
        made.positive, made.negative = low.positive & high.positive, low.negative & high.negative
    return made


def cube(positive: int, negative: int) -> Diagram:
    """The conjunction of the tests in mask `positive` and of the negated tests in mask `negative`."""
    found = TRUE
    rest = positive | negative
    while rest:
        lowest = rest & -rest
        bit = lowest.bit_length() - 1
        found = node(bit, FALSE, found) if positive & lowest else node(bit, found, FALSE)
        rest ^= lowest
    return found


def conjoined(a: Diagram, b: Diagram) -> Diagram:
    """The conjunction of a and b."""
    if a is TRUE or a is b:
        return b
    if b is TRUE:
        return a
    if a is FALSE or b is FALSE:
        return FALSE
    bit = a.bit
    if bit < b.bit or (bit == b.bit and id(a) > id(b)):
        a, b, bit = b, a, b.bit
    found = _and.get((a, b))
    if found is None:
        if len(_and) > KEPT:
            _and.clear()
        low, high = (b.low, b.high) if b.bit == bit else (b, b)
        found = _and[a, b] = node(bit, conjoined(a.low, low), conjoined(a.high, high))
    return found


def disjoined(a: Diagram, b: Diagram, most: int = sys.maxsize) -> Diagram:
    """The disjunction of a and b; raises TooLarge where that takes more than `most` diagrams that did not exist."""
    return _disjoined(a, b, len(_nodes) + most)


class TooLarge(Exception):
    """A diagram that is asked for has more nodes than are wanted."""


def _disjoined(a: Diagram, b: Diagram, most: int) -> Diagram:
    """The disjunction of a and b, unless there are more than `most` diagrams before it is made.

    What is made on the way is part of the result, so the result has no fewer nodes than were new.
    """
    if a is FALSE or a is b:
        return b
    if b is FALSE:
        return a
    if a is TRUE or b is TRUE:
        return TRUE
    bit = a.bit
    if bit < b.bit or (bit == b.bit and id(a) > id(b)):
        a, b, bit = b, a, b.bit
    found = _or.get((a, b))
    if found is None:
        if len(_nodes) > most:
            raise TooLarge
        if len(_or) > KEPT:
            _or.clear()
        low, high = (b.low, b.high) if b.bit == bit else (b, b)
        found = _or[a, b] = node(bit, _disjoined(a.low, low, most), _disjoined(a.high, high, most))
    return found


def sides(one: Diagram, bit: int) -> tuple[Diagram, Diagram]:
    """The diagram where a test fails, and where it holds; the diagram must not contain a later test."""
    return (one.low, one.high) if one.bit == bit else (one, one)


def negated(one: Diagram) -> Diagram:
    """The negation of a diagram."""
    if one.bit < 0:
        return FALSE if one is TRUE else TRUE
    known = _not.get(one)
    if known is None:
        if len(_not) > KEPT:
            _not.clear()
        known = _not[one] = node(one.bit, negated(one.low), negated(one.high))
    return known


def where(one: Diagram, positive: int, negative: int) -> Diagram:
    """The diagram restricted to known outcomes: the tests in `positive` hold, those in `negative` do not."""
    if not one.support & (positive | negative):
        return one
    key = (one, positive & one.support, negative & one.support)
    known = _restricted.get(key)
    if known is None:
        if len(_restricted) > KEPT:
            _restricted.clear()
        bit = one.bit
        if positive >> bit & 1:
            known = where(one.high, positive, negative)
        elif negative >> bit & 1:
            known = where(one.low, positive, negative)
        else:
            known = node(bit, where(one.low, positive, negative), where(one.high, positive, negative))
        _restricted[key] = known
    return known


def without(one: Diagram, tests: int) -> Diagram:
    """The diagram with these tests quantified away: true where it holds for some outcome of them."""
    if not one.support & tests:
        return one
    key = (one, tests & one.support)
    known = _without.get(key)
    if known is None:
        if len(_without) > KEPT:
            _without.clear()
        low, high = without(one.low, tests), without(one.high, tests)
        known = disjoined(low, high) if tests >> one.bit & 1 else node(one.bit, low, high)
        _without[key] = known
    return known


def has_more_nodes(one: Diagram, limit: int) -> bool:
    """Whether a diagram has more than `limit` nodes."""
    known = _large.get((one, limit))
    if known is None:
        seen: set[Diagram] = set()
        pending = [one]
        while pending and len(seen) <= limit:
            part = pending.pop()
            if part.bit >= 0 and part not in seen:
                seen.add(part)
                pending += (part.low, part.high)
        known = _large[one, limit] = len(seen) > limit
    return known


def thinned(one: Diagram, most: int) -> Diagram:
    """A diagram that implies this one and has at most `most` paths to TRUE."""
    if one.paths <= most or not most:
        return one if most else FALSE
    low = min(one.low.paths, max(most // 2, most - one.high.paths))
    return node(one.bit, thinned(one.low, low), thinned(one.high, most - low))


def ways(one: Diagram) -> tuple[tuple[int, int], ...]:
    """An irredundant sum of products for a diagram: for each product, the masks of tests that must and must not hold.

    After S. Minato, "Fast generation of irredundant sum-of-products forms from binary decision diagrams" (1992).
    """
    known = _ways.get(one)
    if known is None:
        known = _ways[one] = tuple(sorted(_alternatives(one, one)[0]))
    return known


def _alternatives(least: Diagram, most: Diagram) -> tuple[list[tuple[int, int]], Diagram]:
    """Products that hold wherever `least` does and only where `most` does; and their disjunction, as a diagram."""
    if least is FALSE:
        return [], FALSE
    if most is TRUE:
        return [(0, 0)], TRUE
    bit = max(least.bit, most.bit)
    test = 1 << bit
    low, high = sides(least, bit)
    most_low, most_high = sides(most, bit)
    failing, without = _alternatives(conjoined(low, negated(most_high)), most_low)
    holding, within = _alternatives(conjoined(high, negated(most_low)), most_high)
    rest = disjoined(conjoined(low, negated(without)), conjoined(high, negated(within)))
    others, beside = _alternatives(rest, conjoined(most_low, most_high))
    found = [*((p, n | test) for p, n in failing), *((p | test, n) for p, n in holding), *others]
    return found, disjoined(node(bit, without, within), beside)
