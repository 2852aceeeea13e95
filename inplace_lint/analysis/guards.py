"""Path conditions: which outcomes of the tests seen so far a fact belongs to.

A test (`if flag:`) gets a *literal*, a bit. A conjunction is a pair of bit masks (must hold, must not hold); a guard
is a tuple of conjunctions of which one holds. Two facts meet only if their guards can hold together: this keeps
exclusive branches apart, and lets `if c: …` twice on the same `c` correlate, without forking the whole state.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import TypeAlias

    Guard: TypeAlias = "tuple[tuple[int, int], ...]"

ALWAYS: Guard = ((0, 0),)
NEVER: Guard = ()
#: More alternatives than this are weakened to what they have in common, and to this literal: that it is so is only
#: guessed at.
_WIDTH = 16
WEAKENED = 1
#: Of more than this it is not tried to find out whether they can be said in fewer.
_REDUCED = 48
#: The same few guards meet again and again while states are joined.
_CACHED = 20_000
_both: dict[tuple[Guard, Guard], Guard] = {}
_either: dict[tuple[Guard, Guard], Guard] = {}


def literal(bit: int, holds: bool) -> Guard:
    """The guard of one outcome of one test."""
    return ((1 << bit, 0),) if holds else ((0, 1 << bit),)


def both(a: Guard, b: Guard) -> Guard:
    """The guard under which a and b hold."""
    if a is ALWAYS or a == ALWAYS:
        return b
    if b is ALWAYS or b == ALWAYS:
        return a
    if len(a) == 1 and len(b) == 1:  # most are a plain conjunction
        (p, n), (q, m) = a[0], b[0]
        return NEVER if (p | q) & (n | m) else ((p | q, n | m),)
    if a == b:
        return a
    key = (a, b)
    known = _both.get(key)
    if known is None:
        if len(_both) > _CACHED:
            _both.clear()
        if implies(a, b):
            known = a
        elif implies(b, a):
            known = b
        elif _are_independent(a, b):
            known = _few(sorted([(p | q, n | m) for p, n in a for q, m in b]))
        else:
            known = _normal([(p | q, n | m) for p, n in a for q, m in b if not ((p | q) & (n | m))])
        _both[key] = known
    return known


def either(a: Guard, b: Guard) -> Guard:
    """The guard under which a or b holds."""
    if not a:
        return b
    if not b:
        return a
    if a == b:
        return a
    key = (a, b)
    known = _either.get(key)
    if known is None:
        if len(_either) > _CACHED:
            _either.clear()
        known = _either[key] = _halved(a, b) or _normal([*a, *b], shortens=_shorten_each_other(a, b))
    return known


def compatible(a: Guard, b: Guard) -> bool:
    """Whether both can hold in one run."""
    if a is ALWAYS:
        return bool(b)
    if b is ALWAYS:
        return bool(a)
    for p, n in a:
        for q, m in b:
            if not (p & m or q & n):
                return True
    return False


def implies(a: Guard, b: Guard) -> bool:
    """Whether b holds in every run in which a holds (sound, not complete)."""
    if b is ALWAYS:
        return True
    for p, n in a:
        for q, m in b:
            if not (q & ~p or m & ~n):
                break
        else:
            return False
    return True


def relative(a: Guard, path: Guard) -> Guard:
    """a, for those who already know that they are on `path`: its literals are left out.

    That a is only guessed at stays: the paths may meet again before it is asked for.
    """
    if len(path) != 1 or path is ALWAYS:
        return a
    p, n = path[0]
    p &= ~WEAKENED
    return _normal([(q & ~p, m & ~n) for q, m in a]) if a else a


def minus(a: Guard, b: Guard) -> Guard:
    """The guard under which a holds and b does not.

    Where b is only guessed at, so is what remains of a.
    """
    if b == ALWAYS:
        return NEVER
    if len(b) != 1:
        for conjunction in b:
            a = minus(a, (conjunction,))
        return a
    positive, negative = b[0]
    if positive & WEAKENED:
        return both(a, ((WEAKENED, 0),))
    found: Guard = NEVER
    bit = 0
    while positive >> bit or negative >> bit:
        if positive >> bit & 1:
            found = either(found, both(a, literal(bit, False)))
        if negative >> bit & 1:
            found = either(found, both(a, literal(bit, True)))
        bit += 1
    return found


def _normal(conjunctions: list[tuple[int, int]], shortens: bool = True) -> Guard:
    """The guard in few conjunctions; `shortens`: one of them may be said shorter because of another one."""
    if len(conjunctions) == 1:
        return (conjunctions[0],)
    kept = _without_implied({*conjunctions})
    while shortens and len(kept) <= _REDUCED:
        shorter = _shortened(kept)
        if shorter is None:
            break
        kept = _without_implied(shorter)
    return _few(kept)


def _few(conjunctions: list[tuple[int, int]]) -> Guard:
    """The guard of these conjunctions, or of what they have in common where they are too many."""
    if len(conjunctions) > _WIDTH:
        positive, negative, _ = _in_common(conjunctions)
        return ((positive | WEAKENED, negative),)
    return ALWAYS if conjunctions == [(0, 0)] else tuple(conjunctions)


def _in_common(conjunctions: Sequence[tuple[int, int]]) -> tuple[int, int, int]:
    """The literals that all conjunctions have, and the tests that only some of them speak of."""
    positive, negative = conjunctions[0]
    every = 0
    for p, n in conjunctions:
        positive &= p
        negative &= n
        every |= p | n
    return positive, negative, every & ~(positive | negative)


def _halved(a: Guard, b: Guard) -> Guard | None:
    """What both say besides one test, of which each has another outcome; None where they differ in more."""
    p, n, _ = _in_common(a)
    q, m, _ = _in_common(b)
    test = p & m | n & q
    if len(a) != len(b) or not test or test & (test - 1):
        return None
    rest = [(p & ~test, n & ~test) for p, n in a]
    if {*rest} != {(p & ~test, n & ~test) for p, n in b}:
        return None
    return _few(sorted(rest))


def _are_independent(a: Guard, b: Guard) -> bool:
    """Whether what tells one guard's conjunctions apart is nothing that the other one speaks of.

    Then each conjunction of one with each of the other is in normal form already.
    """
    if not a or not b:
        return False
    p, n, own = _in_common(a)
    q, m, others = _in_common(b)
    return not (p & m or n & q or own & (q | m | others) or others & (p | n))


def _without_implied(found: set[tuple[int, int]]) -> list[tuple[int, int]]:
    """The conjunctions, in order, less those that imply another one."""
    kept: list[tuple[int, int]] = []
    for p, n in sorted(found):  # what implies a conjunction comes after it
        for q, m in kept:
            if q | p == p and m | n == n:
                break
        else:
            kept.append((p, n))
    return kept


def _shorten_each_other(a: Guard, b: Guard) -> bool:
    """Whether a conjunction of one guard shortens one of the other: those of one guard do not, as it is normal."""
    for p, n in a:
        for q, m in b:
            clash = p & m | n & q
            if clash and not clash & (clash - 1):
                rest = ~clash
                if not (q & rest & ~p or m & rest & ~n) or not (p & rest & ~q or n & rest & ~m):
                    return True
    return False


def _shortened(conjunctions: list[tuple[int, int]]) -> set[tuple[int, int]] | None:
    """Each less the literals whose opposite another one covers: of a∧c or a∧b∧¬c, the second is a∧b."""
    found = list(conjunctions)
    changed = False
    for i, (p, n) in enumerate(found):
        for q, m in found:
            clash = p & m | n & q
            if clash and not clash & (clash - 1) and not (q & ~clash & ~p or m & ~clash & ~n):
                p, n = p & ~clash, n & ~clash
                found[i] = (p, n)
                changed = True
    return {*found} if changed else None
