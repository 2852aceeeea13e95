"""Numbers the tests of a run as literals of path conditions: the same test gets the same bit wherever it is asked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .guards import apart_from, conjunction, implies, literal, minus, tests, where
from .values import (
    Array,
    Constant,
    Instance,
    Mapping_,
    Scalar,
    Sequence_,
    Symbol,
    Tensor,
    Test,
    Unknown,
)

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Sequence

    from .guards import Guard
    from .program import Program
    from .values import Value


#: Values that the same operation may compute something else of once they have changed.
_MUTABLE = (Array, Instance, Mapping_, Sequence_)


class Literals:
    """The literals of one run, and the interned values of its tests and numbers."""

    def __init__(self, program: Program, builds: bool) -> None:
        self.program = program
        #: this run builds objects that all runs share: its literals belong to `program.built`
        self.builds = builds
        #: masks of the literals of guesses (an op may return an alias or a copy), and of evaluation mode
        self.doubtful = program.built.doubtful
        self.evaluation = program.built.evaluation
        #: mask of the literals of guesses that hold with the usual layout, dtype and device
        self.usual = program.built.usual
        #: masks of literals for flags of the call: those that are false by default, and those that are true
        self.turned = (0, 0)
        #: mask of literals that are true only if an object is built with a flag that is off by default
        self.asked_for_in_building = 0
        #: mask of literals `i == constant` for the last round of a loop
        self.numbered = 0
        #: the strings that a value was compared with, each with the bit of that test
        self.words: dict[Value, dict[Hashable, int]] = {}
        #: masks of pairs of literals that exclude each other
        self.exclusive: list[int] = []
        #: by element of a loop, or part of a pair of one, that of the round before; None for those of the first
        self.round_before: dict[Value, Value | None] = {}
        #: the strings that an element, or a part of it, was compared with, each with the bit of that test
        self.words_of_elements: dict[Value, dict[Hashable, int]] = {}
        #: masks of pairs of literals that give two rounds of a loop one string after another
        self.orders: list[int] = []
        self._bits: dict[Hashable, int] = {}
        self._interned: dict[Hashable, Scalar] = {}
        self._keys: dict[Scalar, Hashable] = {}
        #: by operation and operands, the first value that was computed so; and by value its number
        self._first: dict[Hashable, Value] = {}
        self._numbers: dict[Value, Hashable] = {}
        self._of_class: dict[Value, Value] = {}
        self._own_bits = 0

    def bit(self, key: Hashable) -> int:
        """The bit for a test, the same for the same key."""
        bit = self._bits.get(key)
        if bit is None:
            built = self.program.built.bits
            if key in built:  # an `__init__` made the same test, perhaps of another object
                bit = built[key]
            elif self.builds:
                bit = built[key] = 2 * self.program.built.count
                self.program.built.count += 1
            else:
                bit = 2 * self._own_bits + 1
                self._own_bits += 1
            self._bits[key] = bit
        return bit

    def without_exclusive(self, guard: Guard) -> Guard:
        """The guard without the paths on which two literals hold that exclude each other."""
        for pair in (*self.program.built.exclusive, *self.exclusive):
            if not pair & ~tests(guard):
                guard = minus(guard, conjunction(pair, 0))
        return guard

    def exclude(self, bit: int, others: Iterable[int]) -> None:
        """Note that a literal does not hold together with any of these."""
        pairs = self.program.built.exclusive if self.builds else self.exclusive
        pairs += [1 << bit | 1 << other for other in others]

    def expect(self, bit: int, default: bool) -> None:
        """Note the default of the flag of a call that the literal stands for."""
        holds, fails = self.turned
        self.turned = (holds, fails | 1 << bit) if default else (holds | 1 << bit, fails)

    def expect_another_word(self, bit: int) -> None:
        """Note that the literal compares a value with a string that is not its default."""
        if self.builds:
            self.program.built.other_words |= 1 << bit
        else:
            self.expect(bit, False)

    def by_default(self, guard: Guard) -> bool:
        """Whether one of the paths is taken with all flags of the call, and strings, at their defaults."""
        holds, fails = self.turned
        holds |= self.program.built.other_words
        return bool(where(guard, fails, holds))

    def expect_in_building(self, bit: int) -> None:
        """Note that the literal stands for a flag of an `__init__` that is off by default."""
        holder = self.program.built if self.builds else self
        holder.asked_for_in_building |= 1 << bit

    def as_built_by_default(self, guard: Guard) -> bool:
        """Whether one of the paths is taken with all such flags of `__init__` off."""
        turned = self.asked_for_in_building | self.program.built.asked_for_in_building
        return bool(where(guard, 0, turned))

    def is_of_any_round(self, guard: Guard) -> bool:
        """Whether one of the paths does not depend on the last round of a loop having a certain number."""
        return bool(where(guard, 0, self.numbered))

    def is_of_any_order(self, guard: Guard) -> bool:
        """Whether one of the paths does not need two rounds of a loop to get certain strings one after the other."""
        for pair in self.orders:
            if not pair & ~tests(guard):
                guard = minus(guard, conjunction(pair, 0))
        return bool(guard)

    def without_options(self, guard: Guard) -> Guard:
        """The guard without the tests of arguments of the function or of the `__init__` of its object."""
        options = 0
        for bits in (self._bits, self.program.built.bits):
            for key, bit in bits.items():
                if isinstance(key, tuple) and key[0] == "argument":
                    options |= 1 << bit
        return apart_from(guard, options)

    def doubt(self, key: Hashable, usual: bool = False) -> tuple[Guard, Guard]:
        """The literals of the two outcomes of a guess: what the source does not decide.

        `usual`: the first outcome is what happens with the usual layout, dtype and device.
        """
        bit = self.bit(("doubt", key, usual))
        self.doubtful |= 1 << bit
        if usual:
            self.usual |= 1 << bit
        return literal(bit, True), literal(bit, False)

    def identity(self, value: Value) -> Hashable:
        """A key that equal constants share, and values that are computed from the same by the same operation."""
        if isinstance(value, Constant):
            plain = value.value
            return ("constant", plain if isinstance(plain, (int, str, float, type(None))) else repr(plain))
        if isinstance(value, Symbol):
            return ("name", value.dotted)
        return self._numbers.get(value, value)

    def computed(
        self, value: Value, operation: Hashable, operands: Sequence[Value], of_shapes: bool = False
    ) -> Value:
        """The value of a pure operation, the same for the same operands (value numbering), so that tests correlate.

        A tensor stays one of its own, since it may be written, and gets the number of the first one. `of_shapes`: what
        is computed does not change with the elements of tensors.
        """
        if isinstance(value, Array) or not isinstance(value, (Scalar, Tensor, Unknown)):
            return value
        if any(one is value or isinstance(one, _MUTABLE) for one in operands):
            return value
        if not of_shapes and any(map(_is_a_tensor, operands)):
            return value
        key = (operation, *map(self.identity, operands))
        known = self._first.setdefault(key, value)
        if isinstance(known, Scalar) or isinstance(value, Scalar):
            return known if type(known) is type(value) else value
        if known not in self._numbers:
            self.program.last_uid += 1
            self._numbers[known] = ("number", self.program.last_uid)
        self._numbers[value] = self._numbers[known]
        return value

    def returned_by(self, value: Value, call: Hashable) -> Value:
        """Note that a value has the class of what this call returned first, in an earlier round of a loop."""
        first = self._first.setdefault(("returned", call), value)
        self._of_class[value] = first
        return value

    def shown_by(self, value: Value) -> Value:
        """The value whose `isinstance` tests tell the class of this one, itself or the first of its call."""
        return self._of_class.get(value, value)

    def changed(self, value: Value) -> None:
        """Note that what is computed of a value from here on may be something else than before."""
        self.program.last_uid += 1
        self._numbers[value] = ("number", self.program.last_uid)

    def test(self, key: Hashable) -> Test:
        """The truth value of a test, the same for the same key."""
        known = self._interned.get(("test", key))
        if known is None:
            known = self._interned[("test", key)] = Test(self.bit(key), True)
        assert isinstance(known, Test)
        return known

    def is_told(self, key: Hashable, holds: bool, guard: Guard) -> bool:
        """Whether on all paths of the guard this test was made with this outcome."""
        known = self._interned.get(("test", key))
        return isinstance(known, Test) and implies(guard, literal(known.bit, holds))

    def test_of_bit(self, bit: int) -> Test:
        """The truth value of a literal whose bit is known."""
        key = ("bit", bit)
        known = self._interned.get(key)
        if known is None:
            known = self._interned[key] = Test(bit, True)
        assert isinstance(known, Test)
        return known

    def scalar_not(self, test: Test) -> Test:
        """The opposite truth value."""
        key = ("not", test)
        known = self._interned.get(key)
        if known is None:
            known = self._interned[key] = Test(test.bit, not test.holds)
        assert isinstance(known, Test)
        return known

    def scalar(self, key: Hashable, kind: type[Scalar] = Scalar) -> Scalar:
        """A value of the given kind that is no tensor, the same for the same key."""
        known = self._interned.get(key)
        if known is None:
            known = self._interned[key] = kind()
            self._keys[known] = key
        return known

    def key_of(self, value: Scalar) -> Hashable:
        """The key of an interned scalar."""
        return self._keys.get(value)

    def key_of_bit(self, bit: int) -> Hashable:
        """The key of the test that a bit stands for; None if there is none."""
        for bits in (self._bits, self.program.built.bits):
            for key, known in bits.items():
                if known == bit:
                    return key
        return None

    def known(self, key: Hashable) -> int | None:
        """The bit for a test, if it was made."""
        bit = self._bits.get(key)
        return self.program.built.bits.get(key) if bit is None else bit


def _is_a_tensor(value: Value) -> bool:
    """Whether a value is known to be a tensor: what is computed of its elements changes with them."""
    tensor = value.tensor if isinstance(value, Unknown) else value
    return isinstance(tensor, Tensor) and tensor.storage.proved
