"""Guards agree with truth tables: each of them is taken as a formula over four tests, and tried on all outcomes."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from inplace_lint.interp import diagrams, guards
from inplace_lint.interp.diagrams import TRUE
from inplace_lint.interp.guards import (
    ALWAYS,
    NEVER,
    WEAKENED,
    both,
    compatible,
    conjunction,
    either,
    implies,
    literal,
    minus,
    outside,
)

#: The tests' bits: below them is the literal of what is only guessed at.
BITS = range(1, 5)
OUTCOMES = range(0, 1 << BITS.stop, 2)

#: More ways than a guard over these tests has.
ALL = 64

bits = st.sampled_from(BITS)
masks = st.sampled_from(OUTCOMES)
literals = st.builds(literal, bits, st.booleans())
small = st.recursive(
    st.one_of(literals, st.just(ALWAYS), st.just(NEVER)),
    lambda inner: st.one_of(st.builds(both, inner, inner), st.builds(either, inner, inner)),
    max_leaves=4,
)


def table(guard: guards.Guard) -> set[int]:
    """The outcomes of the tests under which the guard holds, if it is right where it guesses; bit n is test n."""
    return {o for o in OUTCOMES if _holds(guard, o | WEAKENED)}


def _holds(guard: guards.Guard, outcome: int) -> bool:
    if guard.positive & ~outcome or guard.negative & outcome:
        return False
    rest = guard.rest
    while rest.bit >= 0:
        rest = rest.high if outcome >> rest.bit & 1 else rest.low
    return rest is TRUE


def said(told: tuple[tuple[int, int], ...]) -> set[int]:
    """The outcomes under which one of these alternatives holds."""
    return {o for o in OUTCOMES if any(o & p == p & ~WEAKENED and not o & n for p, n in told)}


@given(bits, st.booleans())
def test_a_literal_holds_for_its_outcome(bit: int, holds: bool) -> None:
    assert table(literal(bit, holds)) == {o for o in OUTCOMES if bool(o >> bit & 1) is holds}


@given(small, small)
def test_both_is_conjunction(a: guards.Guard, b: guards.Guard) -> None:
    assert table(both(a, b)) == table(a) & table(b)


@given(small, small)
def test_either_is_disjunction(a: guards.Guard, b: guards.Guard) -> None:
    assert table(either(a, b)) == table(a) | table(b)


@given(small, small)
def test_equal_guards_are_one_object(a: guards.Guard, b: guards.Guard) -> None:
    assert (a is b) == (table(a) == table(b))


@given(small)
def test_ways_say_the_guard_and_none_can_be_left_out(guard: guards.Guard) -> None:
    told = guards.ways(guard, ALL)
    assert said(told) == table(guard)
    for one in told:
        assert said(tuple(other for other in told if other != one)) < table(guard)


@given(masks, masks)
def test_a_conjunction_is_its_literals(positive: int, negative: int) -> None:
    guard = conjunction(positive, negative & ~positive)
    assert guards.ways(guard, ALL) == ((positive, negative & ~positive),)
    assert (guard.positive, guard.negative) == (positive, negative & ~positive)


@given(small, st.integers(1, 4))
def test_fewer_ways_hold_nowhere_else(guard: guards.Guard, most: int) -> None:
    told = guards.ways(guard, most)
    assert len(told) <= most
    assert said(told) <= table(guard)
    assert bool(told) == bool(guard)


@given(small, masks)
def test_whatever_some_tests_say_is_under_all_their_outcomes(guard: guards.Guard, tests: int) -> None:
    every = {o for o in OUTCOMES if _outcomes(o, tests) <= table(guard)}
    assert table(guards.whatever(guard, tests)) == every


@given(small, masks)
def test_apart_from_some_tests_is_under_any_of_their_outcomes(guard: guards.Guard, tests: int) -> None:
    some = {o for o in OUTCOMES if _outcomes(o, tests) & table(guard)}
    found = guards.apart_from(guard, tests)
    assert table(found) == some
    assert not guards.tests(found) & tests


@given(small, masks, masks)
def test_where_tests_are_known_is_under_these_outcomes(guard: guards.Guard, holds: int, fails: int) -> None:
    fails &= ~holds
    found = guards.where(guard, holds, fails)
    assert table(found) == {o for o in OUTCOMES if (o | holds) & ~fails in table(guard)}


def _outcomes(outcome: int, tests: int) -> set[int]:
    """The outcomes that differ from this one in these tests alone."""
    return {o for o in OUTCOMES if not (o ^ outcome) & ~tests}


def test_a_guard_of_many_paths_is_kept_where_it_has_few_nodes() -> None:
    guard = ALWAYS
    for first in range(1, 60, 2):
        guard = both(guard, either(literal(first, True), literal(first + 1, True)))
    assert guard.rest.paths == 2**30
    assert not guards.tests(guard) & WEAKENED


def test_a_guard_of_many_nodes_is_weakened_to_what_its_paths_have_in_common() -> None:
    wide: guards.Guard = NEVER
    for first in range(1, 4_000, 10):
        together = literal(4_001, False)
        for bit in range(first, first + 10):
            together = both(together, literal(bit, True))
        wide = either(wide, together)
    assert implies(
        both(literal(0, True), literal(4_001, False)), wide
    )  # it may hold whatever the other tests say
    assert implies(wide, literal(4_001, False))
    assert not diagrams.has_more_nodes(wide.rest, 200)


def test_a_guess_costs_little_more_than_the_largest_guard() -> None:
    """The diagram of a disjunction is not made to its end where it has too many nodes."""
    guards.forget()
    odd: guards.Guard = NEVER
    even: guards.Guard = NEVER
    for bit in range(1, 10, 2):
        odd = either(odd, both(literal(bit, True), literal(bit + 10, True)))
        even = either(even, both(literal(bit + 1, True), literal(bit + 11, True)))
    assert not (guards.tests(odd) | guards.tests(even)) & WEAKENED
    before = guards.count()
    assert guards.tests(either(odd, even)) & WEAKENED
    limited = guards.count() - before
    before = guards.count()
    diagrams.disjoined(odd.rest, even.rest)
    assert guards.count() - before > 5 * limited


def test_the_cost_of_a_test_that_is_asked_again_does_not_grow() -> None:
    guards.forget()
    path = ALWAYS
    for bit in range(1, 400):
        path = both(path, literal(bit, bit % 3 > 0))
    before = guards.count()
    taken, left = both(path, literal(400, True)), both(path, literal(400, False))
    assert guards.count() - before == 4  # two literals, and the path with each of them
    assert either(taken, left) is path


def test_what_was_made_before_all_was_let_go_still_means_the_same() -> None:
    a, b = literal(1, True), either(literal(1, True), literal(2, False))
    guards.forget()
    assert implies(a, b)
    assert not compatible(a, both(literal(1, False), b))
    assert table(both(a, b)) == table(a)


@given(small, small)
def test_compatible_is_that_both_can_hold(a: guards.Guard, b: guards.Guard) -> None:
    assert compatible(a, b) == bool(table(a) & table(b))


@given(small, small)
def test_implication_is_inclusion(a: guards.Guard, b: guards.Guard) -> None:
    assert implies(a, b) == (table(a) <= table(b))


@given(small, small)
def test_a_relative_guard_is_the_same_on_the_path(a: guards.Guard, path: guards.Guard) -> None:
    rest = guards.relative(a, path)
    assert table(rest) & table(path) == table(a) & table(path)


@given(small, small)
def test_minus_is_difference(a: guards.Guard, b: guards.Guard) -> None:
    assert table(minus(a, b)) == table(a) - table(b)
    assert minus(a, NEVER) is a


@given(small, small)
def test_what_is_left_by_a_guess_is_guessed_at(a: guards.Guard, b: guards.Guard) -> None:
    guess = both(b, literal(0, True))
    rest = minus(a, guess)
    assert table(rest) == table(a)
    if guess:
        assert all(positive & WEAKENED for positive, _ in guards.ways(rest, ALL))


@given(small, small, st.booleans())
def test_nothing_is_kept_where_the_other_guard_holds(a: guards.Guard, b: guards.Guard, guess: bool) -> None:
    other = both(b, literal(0, True)) if guess else b
    kept = outside([(a, "fact")], other)
    assert all(not compatible(guard, other) for guard, _ in kept)
    if not guess:
        assert {o for guard, _ in kept for o in table(guard)} == table(a) - table(b)


@given(small)
def test_complements_join_to_always(a: guards.Guard) -> None:
    for bit in BITS:
        halves = [both(a, literal(bit, holds)) for holds in (True, False)]
        assert either(*halves) is a
    assert both(a, ALWAYS) is a
    assert either(a, NEVER) is a
    assert both(a, NEVER) is NEVER


@given(literals, small)
def test_an_outcome_of_a_test_excludes_the_other(one: guards.Guard, a: guards.Guard) -> None:
    ((p, n),) = guards.ways(one, ALL)
    other = conjunction(n, p)
    assert both(both(a, one), other) is NEVER
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
