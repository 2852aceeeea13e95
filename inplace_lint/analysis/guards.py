"""Path conditions: which outcomes of the tests seen so far a fact belongs to.

A test (`if flag:`) gets a *literal*, a bit. A guard is a Boolean function of these: a reduced ordered binary decision
diagram, with the latest test at the top, where entering a branch adds one node and leaving it takes that away. Equal
guards are one object. Two facts meet only if their guards can hold together: this keeps exclusive branches apart, and
lets `if c: …` twice on the same `c` correlate, without forking the whole state.
"""

from __future__ import annotations


class Guard:
    """A node: what holds where the test of its bit fails (`low`), and where it holds (`high`).

    `positive` and `negative` are masks of the literals that must and must not hold, whatever the others are, `support`
    of all that it speaks of; `paths` counts the ways down to where it holds.
    """

    __slots__ = ("bit", "high", "low", "negative", "paths", "positive", "support")

    low: Guard
    high: Guard

    def __init__(self, bit: int) -> None:
        self.bit = bit
        self.positive = self.negative = self.support = 0
        self.paths = 1


class _Never(Guard):
    """The guard that never holds is the only one that is not true."""

    __slots__ = ()

    def __bool__(self) -> bool:
        return False


ALWAYS = Guard(-1)
NEVER: Guard = _Never(-1)
NEVER.paths = 0
#: A guard of more paths than the first, or of more than the second and so many nodes, is weakened to what they have in
#: common, and to this literal: that it is so is only guessed at.
_MOST_PATHS = 4_096
_PATHS = 64
_NODES = 64
WEAKENED = 1
#: Results are kept until there are so many.
_KEPT = 200_000
_nodes: dict[tuple[int, Guard, Guard], Guard] = {}
_both: dict[tuple[Guard, Guard], Guard] = {}
_either: dict[tuple[Guard, Guard], Guard] = {}
_meeting: dict[tuple[Guard, Guard], bool] = {}
_wide: dict[Guard, bool] = {}
_opposite: dict[Guard, Guard] = {}
_restricted: dict[tuple[Guard, int, int], Guard] = {}
_ways: dict[Guard, tuple[tuple[int, int], ...]] = {}


def forget() -> None:
    """Let go all guards: those that are still in use are not compared with new ones."""
    for known in (_nodes, _both, _either, _meeting, _wide, _opposite, _restricted, _ways):
        known.clear()


def count() -> int:
    """How many guards are known."""
    return len(_nodes)


def literal(bit: int, holds: bool) -> Guard:
    """The guard of one outcome of one test."""
    return _node(bit, NEVER, ALWAYS) if holds else _node(bit, ALWAYS, NEVER)


def conjunction(positive: int, negative: int) -> Guard:
    """The guard of these literals: masks of those that must hold, and of those that must not."""
    found = ALWAYS
    rest = positive | negative
    while rest:
        lowest = rest & -rest
        bit = lowest.bit_length() - 1
        found = _node(bit, NEVER, found) if positive & lowest else _node(bit, found, NEVER)
        rest ^= lowest
    return found


def both(a: Guard, b: Guard) -> Guard:
    """The guard under which a and b hold."""
    if a is ALWAYS:
        return b
    if b is ALWAYS or a is b:
        return a
    found = _conjoined(a, b)
    return found if found.paths <= _PATHS or not _is_wide(found) else _weakened(found)


def either(a: Guard, b: Guard) -> Guard:
    """The guard under which a or b holds."""
    found = _disjoined(a, b)
    return found if found.paths <= _PATHS or not _is_wide(found) else _weakened(found)


def compatible(a: Guard, b: Guard) -> bool:
    """Whether both can hold in one run."""
    return _meet(a, b)


def implies(a: Guard, b: Guard) -> bool:
    """Whether b holds in every run in which a holds."""
    if b is ALWAYS or a is b or a is NEVER:
        return True
    if b.positive & ~a.positive or b.negative & ~a.negative:
        return False
    return _conjoined(a, b) is a


def relative(a: Guard, path: Guard) -> Guard:
    """a, for those who already know that they are on `path`: the path's literals are left out.

    That a is only guessed at stays: the paths may meet again before it is asked for.
    """
    return _where(a, path.positive & ~WEAKENED, path.negative)


def minus(a: Guard, b: Guard) -> Guard:
    """The guard under which a holds and b does not.

    Where b is only guessed at, so is what remains of a.
    """
    if not b.support & WEAKENED:
        return both(a, _negated(b))
    return both(both(a, _negated(_where(b, 0, WEAKENED))), literal(0, True))


def ways(guard: Guard) -> tuple[tuple[int, int], ...]:
    """A guard as alternatives, of which none can be left out: the literals that must and must not hold in each.

    After S. Minato, "Fast generation of irredundant sum-of-products forms from binary decision diagrams" (1992).
    """
    known = _ways.get(guard)
    if known is None:
        known = _ways[guard] = tuple(sorted(_alternatives(guard, guard)[0]))
    return known


def _alternatives(least: Guard, most: Guard) -> tuple[list[tuple[int, int]], Guard]:
    """Alternatives that hold wherever `least` does, and nowhere but where `most` does; and the guard that they are."""
    if not least:
        return [], NEVER
    if most is ALWAYS:
        return [(0, 0)], ALWAYS
    bit = max(least.bit, most.bit)
    test = 1 << bit
    low, high = _sides(least, bit)
    most_low, most_high = _sides(most, bit)
    failing, without = _alternatives(_conjoined(low, _negated(most_high)), most_low)
    holding, within = _alternatives(_conjoined(high, _negated(most_low)), most_high)
    rest = _disjoined(_conjoined(low, _negated(without)), _conjoined(high, _negated(within)))
    others, beside = _alternatives(rest, _conjoined(most_low, most_high))
    found = [*((p, n | test) for p, n in failing), *((p | test, n) for p, n in holding), *others]
    return found, _disjoined(_node(bit, without, within), beside)


def _sides(guard: Guard, bit: int) -> tuple[Guard, Guard]:
    """The guard where a test fails, and where it holds; no later test is in it."""
    return (guard.low, guard.high) if guard.bit == bit else (guard, guard)


def _is_wide(guard: Guard) -> bool:
    """Whether a guard has more nodes, or paths, than it pays to go on with."""
    if guard.paths > _MOST_PATHS:
        return True
    known = _wide.get(guard)
    if known is None:
        seen: set[Guard] = set()
        pending = [guard]
        while pending and len(seen) <= _NODES:
            node = pending.pop()
            if node.bit >= 0 and node not in seen:
                seen.add(node)
                pending += (node.low, node.high)
        known = _wide[guard] = len(seen) > _NODES
    return known


def _weakened(guard: Guard) -> Guard:
    return conjunction(guard.positive | WEAKENED, guard.negative & ~WEAKENED)


def _node(bit: int, low: Guard, high: Guard) -> Guard:
    if low is high:
        return low
    key = (bit, low, high)
    known = _nodes.get(key)
    if known is not None:
        return known
    node = _nodes[key] = Guard(bit)
    node.low, node.high = low, high
    test = 1 << bit
    node.support = low.support | high.support | test
    node.paths = low.paths + high.paths
    if low is NEVER:
        node.positive, node.negative = high.positive | test, high.negative
    elif high is NEVER:
        node.positive, node.negative = low.positive, low.negative | test
    else:
        node.positive, node.negative = low.positive & high.positive, low.negative & high.negative
    return node


def _conjoined(a: Guard, b: Guard) -> Guard:
    if a is ALWAYS or a is b:
        return b
    if b is ALWAYS:
        return a
    positive, negative = a.positive, a.negative
    if a is NEVER or b is NEVER or positive & b.negative or negative & b.positive:
        return NEVER
    if b.paths == 1 and not (b.positive & ~positive or b.negative & ~negative):
        return a
    if a.paths == 1 and not (positive & ~b.positive or negative & ~b.negative):
        return b
    key = (a, b)
    known = _both.get(key)
    if known is None:
        if len(_both) > _KEPT:
            _both.clear()
        bit = a.bit
        if bit > b.bit:
            low, high = _conjoined(a.low, b), _conjoined(a.high, b)
        elif bit == b.bit:
            low, high = _conjoined(a.low, b.low), _conjoined(a.high, b.high)
        else:
            bit = b.bit
            low, high = _conjoined(a, b.low), _conjoined(a, b.high)
        known = _both[key] = _node(bit, low, high)
    return known


def _meet(a: Guard, b: Guard) -> bool:
    """Whether both can hold: their conjunction is not made for that."""
    if a is NEVER or b is NEVER or a.positive & b.negative or a.negative & b.positive:
        return False
    if not a.support & b.support:
        return True
    key = (a, b)
    known = _meeting.get(key)
    if known is None:
        if len(_meeting) > _KEPT:
            _meeting.clear()
        if a.bit > b.bit:
            known = _meet(a.high, b) or _meet(a.low, b)
        elif a.bit == b.bit:
            known = _meet(a.high, b.high) or _meet(a.low, b.low)
        else:
            known = _meet(a, b.high) or _meet(a, b.low)
        _meeting[key] = known
    return known


def _disjoined(a: Guard, b: Guard) -> Guard:
    if a is ALWAYS or b is ALWAYS:
        return ALWAYS
    if a is NEVER or a is b:
        return b
    if b is NEVER:
        return a
    key = (a, b)
    known = _either.get(key)
    if known is None:
        if len(_either) > _KEPT:
            _either.clear()
        bit = a.bit
        if bit > b.bit:
            low, high = _disjoined(a.low, b), _disjoined(a.high, b)
        elif bit == b.bit:
            low, high = _disjoined(a.low, b.low), _disjoined(a.high, b.high)
        else:
            bit = b.bit
            low, high = _disjoined(a, b.low), _disjoined(a, b.high)
        known = _either[key] = _node(bit, low, high)
    return known


def _negated(guard: Guard) -> Guard:
    if guard.bit < 0:
        return NEVER if guard is ALWAYS else ALWAYS
    known = _opposite.get(guard)
    if known is None:
        if len(_opposite) > _KEPT:
            _opposite.clear()
        known = _opposite[guard] = _node(guard.bit, _negated(guard.low), _negated(guard.high))
    return known


def _where(guard: Guard, positive: int, negative: int) -> Guard:
    """The guard where these literals are known to hold, and those not to."""
    if not guard.support & (positive | negative):
        return guard
    key = (guard, positive, negative)
    known = _restricted.get(key)
    if known is None:
        if len(_restricted) > _KEPT:
            _restricted.clear()
        bit = guard.bit
        if positive >> bit & 1:
            known = _where(guard.high, positive, negative)
        elif negative >> bit & 1:
            known = _where(guard.low, positive, negative)
        else:
            known = _node(bit, _where(guard.low, positive, negative), _where(guard.high, positive, negative))
        _restricted[key] = known
    return known
