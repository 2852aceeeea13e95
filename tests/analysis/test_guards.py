"""Guards agree with truth tables: each of them is taken as a formula over four tests, and tried on all outcomes."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from inplace_lint.analysis import guards
from inplace_lint.analysis.guards import (
    ALWAYS,
    NEVER,
    WEAKENED,
    both,
    compatible,
    either,
    implies,
    literal,
    minus,
)

#: The tests' bits: below them is the literal of what is only guessed at.
BITS = range(1, 5)
OUTCOMES = range(0, 1 << BITS.stop, 2)

bits = st.sampled_from(BITS)
masks = st.sampled_from(OUTCOMES)
literals = st.builds(literal, bits, st.booleans())
small = st.recursive(
    st.one_of(literals, st.just(ALWAYS), st.just(NEVER)),
    lambda inner: st.one_of(st.builds(both, inner, inner), st.builds(either, inner, inner)),
    max_leaves=4,
)


def table(guard: guards.Guard) -> set[int]:
    """The outcomes of the tests under which the guard holds; bit n of an outcome is test n."""
    return {o for o in OUTCOMES if any(o & p == p & ~WEAKENED and not o & n for p, n in guard)}


def weakened(guard: guards.Guard) -> set[int]:
    """What remains of a wide guard: what all its conjunctions have in common."""
    positive = negative = OUTCOMES[-1]
    for p, n in guard:
        positive, negative = positive & p, negative & n
    return table(((positive, negative),))


@given(bits, st.booleans())
def test_a_literal_holds_for_its_outcome(bit: int, holds: bool) -> None:
    assert table(literal(bit, holds)) == {o for o in OUTCOMES if bool(o >> bit & 1) is holds}


@given(small, small)
def test_both_is_conjunction(a: guards.Guard, b: guards.Guard) -> None:
    exact = table(a) & table(b)
    assert table(both(a, b)) >= exact
    if len(a) * len(b) <= 6:
        assert table(both(a, b)) == exact


@given(small, small)
def test_either_is_disjunction(a: guards.Guard, b: guards.Guard) -> None:
    exact = table(a) | table(b)
    assert table(either(a, b)) >= exact
    if len(a) + len(b) <= 6:
        assert table(either(a, b)) == exact


@given(st.lists(st.tuples(masks, masks), min_size=1, max_size=12))
def test_a_wide_guard_only_grows(conjunctions: list[tuple[int, int]]) -> None:
    plain = [(p, n & ~p) for p, n in conjunctions]
    joined: guards.Guard = NEVER
    for conjunction in plain:
        joined = either(joined, (conjunction,))
    assert table(tuple(plain)) <= table(joined)
    assert table(joined) <= weakened(tuple(plain)) or len(plain) <= 6


@given(small, small)
def test_compatible_is_that_both_can_hold(a: guards.Guard, b: guards.Guard) -> None:
    assert compatible(a, b) == bool(table(a) & table(b))


@given(small, small)
def test_implication_is_sound(a: guards.Guard, b: guards.Guard) -> None:
    if implies(a, b):
        assert table(a) <= table(b)
    if len(b) == 1:
        assert implies(a, b) == (table(a) <= table(b))


@given(small, small)
def test_a_relative_guard_is_the_same_on_the_path(a: guards.Guard, path: guards.Guard) -> None:
    rest = guards.relative(a, path)
    assert table(rest) & table(path) == table(a) & table(path)


@given(small, small)
def test_minus_keeps_every_outcome_outside(a: guards.Guard, b: guards.Guard) -> None:
    rest = table(minus(a, b))
    assert table(a) - table(b) <= rest <= table(a)


@given(small, small)
def test_what_is_left_by_a_guess_is_guessed_at(a: guards.Guard, b: guards.Guard) -> None:
    guess = both(b, ((WEAKENED, 0),))
    rest = minus(a, guess)
    assert table(rest) >= table(a) - table(b)
    if len(guess) == 1:
        assert all(positive & WEAKENED for positive, _ in rest)


@given(small)
def test_complements_join_to_always(a: guards.Guard) -> None:
    for bit in BITS:
        halves = [both(a, literal(bit, holds)) for holds in (True, False)]
        assert table(either(*halves)) >= table(a)
    assert both(a, ALWAYS) == a
    assert either(a, NEVER) == a
    assert both(a, NEVER) == NEVER


@given(literals, small)
def test_an_outcome_of_a_test_excludes_the_other(one: guards.Guard, a: guards.Guard) -> None:
    ((p, n),) = one
    other: guards.Guard = ((n, p),)
    assert both(both(a, one), other) == NEVER
    assert not compatible(both(a, one), other)


def test_exclusive_branches_do_not_meet_and_equal_tests_correlate() -> None:
    then, orelse = literal(1, True), literal(1, False)
    assert not compatible(then, orelse)
    assert either(then, orelse) == ALWAYS
    assert implies(both(then, literal(2, True)), then)


#: A test that none of the guards above speaks of.
OTHER = BITS.stop


@given(small)
def test_the_outcomes_of_a_test_join_to_what_both_say(a: guards.Guard) -> None:
    yes, no = (both(a, literal(OTHER, holds)) for holds in (True, False))
    assert either(yes, no) == a
    assert either(no, yes) == a


@given(small, small)
def test_guards_of_different_tests_are_multiplied_out(a: guards.Guard, b: guards.Guard) -> None:
    others = tuple((p << OTHER, n << OTHER) for p, n in b)
    product = {(p | q, n | m) for p, n in a for q, m in others}
    found = both(a, others if b != ALWAYS else ALWAYS)
    if len(product) > 16:
        assert len(found) == 1 and found[0][0] & WEAKENED
    else:
        assert {*found} == product
        assert list(found) == sorted(found)


@given(small, small)
def test_of_two_conjunctions_each_is_as_short_as_the_other_allows(a: guards.Guard, b: guards.Guard) -> None:
    if len(a) == len(b) == 1:
        for p, n in either(a, b):
            for test in BITS:
                shorter = ((p & ~(1 << test), n & ~(1 << test)),)
                if shorter[0] != (p, n):
                    assert not table(shorter) <= table(either(a, b))
