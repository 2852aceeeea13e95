"""A join that waits until it is read gives what joining at once gives, however many of them wait for each other."""

from __future__ import annotations

import sys

from hypothesis import given
from hypothesis import strategies as st

from inplace_lint.interp.frames import State
from inplace_lint.interp.guards import literal
from inplace_lint.interp.joins import Unread, join, later
from inplace_lint.interp.storage import Storage
from inplace_lint.interp.values import Constant, Tensor, Unknown, Value, alternatives

ATOMS: list[Value] = [Constant(1), Constant(1), Constant("a"), *(Unknown() for _ in range(20))]


def shown(value: Value) -> list[tuple[object, object]]:
    """What may be told of a value: its alternatives, with their guards; of constants, what they are."""
    return [
        (guard, atom.value if isinstance(atom, Constant) else atom) for guard, atom in alternatives(value)
    ]


@given(st.lists(st.tuples(st.integers(1, 6), st.sampled_from(ATOMS[:8])), min_size=1, max_size=8))
def test_what_is_joined_when_it_is_read_is_what_is_joined_at_once(changes: list[tuple[int, Value]]) -> None:
    waiting: Value = ATOMS[0]
    at_once: Value = ATOMS[0]
    for bit, atom in changes:
        arms = literal(bit, True), literal(bit, False)
        waiting = later([(arms[0], atom), (arms[1], waiting)])
        at_once = join([(arms[0], atom), (arms[1], at_once)])
    state = State()
    state.slots["x"] = waiting
    found = state["x"]
    assert shown(found) == shown(at_once)
    assert state["x"] is found


def test_nothing_is_joined_before_it_is_read() -> None:
    value = later([(literal(1, True), ATOMS[3]), (literal(1, False), ATOMS[4])])
    assert isinstance(value, Unread)
    assert value.value is None
    assert later([(literal(2, True), value), (literal(2, False), value)]) is value


def test_a_value_that_many_branches_set_is_read_without_deep_recursion() -> None:
    value: Value = Constant(0)
    for number in range(2_000):
        arms = literal(1 + number % 8, True), literal(1 + number % 8, False)
        value = later([(arms[0], Constant(number % 4)), (arms[1], value)])
    state = State()
    state.slots["x"] = value
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(600)
    try:
        found = state["x"]
    finally:
        sys.setrecursionlimit(before)
    assert len(alternatives(found)) <= 4


def test_what_is_widened_counts_as_made_where_the_paths_met() -> None:
    """An instruction that reads it must not take it for something that it made itself."""
    many = later([(literal(bit, True), atom) for bit, atom in enumerate(ATOMS[3:], 1)])
    after = Unknown()
    state = State()
    state.slots["x"] = many
    ((_, found),) = alternatives(state["x"])
    assert isinstance(found, Unknown)
    assert found not in ATOMS
    assert found.serial < after.serial


def test_unknown_values_that_are_joined_again_and_again_stand_for_each_tensor_once() -> None:
    """Their graphs grew twofold with every join, to gigabytes: recursion over the modules of a model showed it."""
    tensors = [Tensor(Storage(number, "result", 1, None, False, "float")) for number in range(3)]
    value: Value = Unknown()
    for number in range(30):
        others: list[Value] = [Unknown() for _ in range(13)]
        for other in (*others, value):
            for _, atom in alternatives(other):
                if isinstance(atom, Unknown) and not atom.nodes:
                    atom.nodes = [(literal(1 + number % 4, True), tensor) for tensor in tensors]
        value = join([(literal(5 + at, True), other) for at, other in enumerate((*others, value))])
        assert all(
            len(atom.nodes) <= len(tensors) for _, atom in alternatives(value) if isinstance(atom, Unknown)
        )
