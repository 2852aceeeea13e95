"""Implements reduced ordered binary decision diagrams (BDDs) over the program's tests. Equal diagrams are one object.

The latest test is at the root. After R. E. Bryant, "Graph-based algorithms for Boolean function manipulation", 1986.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


class Diagram:
    """A node: what holds where the test of its bit fails (`low`), and where it holds (`high`).

    `positive` and `negative` are masks of the tests that must and must not hold, whatever the others are, `support`
    of all that it speaks of; `paths` counts the ways down to where it holds.
    """

    __slots__ = ("bit", "high", "low", "negative", "paths", "positive", "support")

    low: Diagram
    high: Diagram

    def __init__(self, bit: int, paths: int) -> None:
        self.bit = bit
        self.paths = paths
        self.positive = self.negative = self.support = 0


TRUE, FALSE = Diagram(-1, 1), Diagram(-1, 0)
#: Results are kept until there are so many.
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
    """Let go all diagrams: those that are still in use are not compared with new ones."""
    for known in (_nodes, _and, _or, _not, _restricted, _without, _large, _ways):
        known.clear()


def count() -> int:
    """How many diagrams are known."""
    return len(_nodes)


def node(bit: int, low: Diagram, high: Diagram) -> Diagram:
    """The diagram of these two sides of a test that is later than all of theirs."""
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
    """The conjunction of these tests and of the opposites of those."""
    found = TRUE
    rest = positive | negative
    while rest:
        lowest = rest & -rest
        bit = lowest.bit_length() - 1
        found = node(bit, FALSE, found) if positive & lowest else node(bit, found, FALSE)
        rest ^= lowest
    return found


def conjoined(a: Diagram, b: Diagram) -> Diagram:
    """Where a and b hold."""
    if a is TRUE or a is b:
        return b
    if b is TRUE:
        return a
    if a is FALSE or b is FALSE:
        return FALSE
    return _on_both_sides(conjoined, _and, a, b)


def disjoined(a: Diagram, b: Diagram) -> Diagram:
    """Where a or b holds."""
    if a is FALSE or a is b:
        return b
    if b is FALSE:
        return a
    if a is TRUE or b is TRUE:
        return TRUE
    return _on_both_sides(disjoined, _or, a, b)


def _on_both_sides(
    operation: Callable[[Diagram, Diagram], Diagram],
    known: dict[tuple[Diagram, Diagram], Diagram],
    a: Diagram,
    b: Diagram,
) -> Diagram:
    """An operation on two diagrams, from what it gives where their latest test fails, and where it holds."""
    found = known.get((a, b))
    if found is None:
        if len(known) > KEPT:
            known.clear()
        bit = max(a.bit, b.bit)
        low, high = sides(a, bit)
        other_low, other_high = sides(b, bit)
        found = known[a, b] = node(bit, operation(low, other_low), operation(high, other_high))
    return found


def sides(one: Diagram, bit: int) -> tuple[Diagram, Diagram]:
    """A diagram where a test fails, and where it holds; no later test is in it."""
    return (one.low, one.high) if one.bit == bit else (one, one)


def negated(one: Diagram) -> Diagram:
    """Where it does not hold."""
    if one.bit < 0:
        return FALSE if one is TRUE else TRUE
    known = _not.get(one)
    if known is None:
        if len(_not) > KEPT:
            _not.clear()
        known = _not[one] = node(one.bit, negated(one.low), negated(one.high))
    return known


def where(one: Diagram, positive: int, negative: int) -> Diagram:
    """What remains of a diagram where these tests are known to hold, and those not to."""
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
    """Where a diagram holds for some outcomes of these tests: it speaks of them no longer."""
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
    """Whether a diagram consists of more nodes than this."""
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
    """A diagram that holds nowhere else, on at most so many ways down to where it does."""
    if one.paths <= most or not most:
        return one if most else FALSE
    low = min(one.low.paths, max(most // 2, most - one.high.paths))
    return node(one.bit, thinned(one.low, low), thinned(one.high, most - low))


def ways(one: Diagram) -> tuple[tuple[int, int], ...]:
    """A diagram as alternatives, of which none can be left out: the tests that must and must not hold in each.

    After S. Minato, "Fast generation of irredundant sum-of-products forms from binary decision diagrams" (1992).
    """
    known = _ways.get(one)
    if known is None:
        known = _ways[one] = tuple(sorted(_alternatives(one, one)[0]))
    return known


def _alternatives(least: Diagram, most: Diagram) -> tuple[list[tuple[int, int]], Diagram]:
    """Alternatives that hold wherever `least` does, and nowhere but where `most` does; and what they are together."""
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
