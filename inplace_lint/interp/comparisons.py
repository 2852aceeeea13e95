"""Decides comparisons: a constant where both sides are known, else a test of the path, or a tensor of booleans."""

from __future__ import annotations

import ast
import operator
from typing import TYPE_CHECKING

from ..torchmodel import table
from . import (
    container_operators,
    containers,
    contents,
    data_classes,
    elements,
    enums,
    handles,
    inherited,
    instances,
    mappings,
    operators,
    ops,
    own_operators,
    requires_grad,
)
from .class_value import ClassValue
from .iterators import RELATIONS
from .joins import join
from .values import (
    Bound,
    Constant,
    FunctionValue,
    Instance,
    Mapping_,
    Native,
    Option,
    OpValue,
    Parameters,
    Phi,
    Scalar,
    Sequence_,
    Symbol,
    Tensor,
    Test,
    TorchModule,
    Unknown,
    Value,
)

if TYPE_CHECKING:
    from collections.abc import Hashable

    from .run import Run

#: The relation of two values that are exchanged.
_TURNED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}
#: Values that are surely no constant: `x is None` is False.
_OBJECTS = (
    Instance,
    TorchModule,
    FunctionValue,
    Bound,
    Native,
    OpValue,
    Option,
    Parameters,
    ClassValue,
    Symbol,
    Sequence_,
    Mapping_,
    Tensor,
    Test,
)
#: Of these, those that may equal None: an object by its `__eq__`, a name of another package by its value.
_MAY_EQUAL = (Instance, Symbol, Tensor, Test)


def compare(run: Run, op: str, left: Value, right: Value, at: ast.AST) -> Value:
    """left op right, for comparisons: a constant, a test with a literal, or a tensor of booleans."""
    if isinstance(left, Phi) and (op in ("is", "is not", "==", "!=") or _partly_constant(left)):
        results = []
        path = run.path
        for guard, atom in run.live(left):
            run.path = guard
            results.append((guard, compare(run, op, atom, right, at)))
        run.path = path
        return join(results) if results else Unknown()
    known = own_operators.compare(run, op, left, right, at) or _same(run, op, left, right, at)
    if known is not None:
        return known
    if op in ("is", "is not"):
        return _identical(run, op == "is", left, right, at)
    if isinstance(left, Constant) and isinstance(right, Constant):
        relation = RELATIONS.get(op)
        try:
            if relation is not None:
                return Constant(relation(left.value, right.value))
            if op in ("in", "not in"):
                return Constant((left.value in right.value) == (op == "in"))  # type: ignore[operator]  # else TypeError
        except TypeError:
            pass
        return Scalar()
    if isinstance(left, Constant) and isinstance(right, Scalar) and op in _TURNED:
        left, op, right = right, _TURNED[op], left
    if isinstance(left, Scalar):
        last = _last_iteration(run, op, left, right, at)
        if last is not None:
            left.asked = True
            return Constant(last)
    if op in ("in", "not in"):
        found_in = _contains(run, right, left, at)
        return found_in if op == "in" else operators.unary(run, "not", found_in, at)
    if isinstance(left, Tensor) or isinstance(right, Tensor):
        found = table.operator(op)
        if found is not None:
            result = ops.apply(run, found, [left, right], {}, at, function=False)
            held = contents.of(run, left) if isinstance(right, Constant) else None
            if held is not None and isinstance(result, Tensor):
                contents.note_made(run, result, compare(run, op, held, right, at))
            return result
    if op in ("==", "!="):
        known_equal = _are_equal(run, left, right)
        if known_equal is not None:
            return known_equal if op == "==" else operators.unary(run, "not", known_equal, at)
        equal = _equal(run, left, right)
        return equal if op == "==" else operators.unary(run, "not", equal, at)
    ordered = container_operators.related(run, RELATIONS[op], left, right) if op in RELATIONS else None
    if ordered is not None:
        return Constant(ordered)
    negated = {">=": "<", ">": "<="}
    if op in negated:
        return _polarity(run, (negated[op], run.identity(left), run.identity(right)), False)
    return _polarity(run, (op, run.identity(left), run.identity(right)), True)


def _contains(run: Run, container: Value, element: Value, at: ast.AST) -> Value:
    """element in container"""
    element = elements.constant(run, element) if isinstance(container, Mapping_) else element
    if isinstance(element, Constant) and isinstance(container, Mapping_):
        held = mappings.holds(run, container, element.value)
        if held is not None:
            return held
    own = own_operators.contains(run, container, element, at)
    if own is not None:
        return own
    inner = inherited.contents(run, container)
    if inner is not container:
        return _contains(run, inner, element, at)
    known = container_operators.contains(run, container, element)
    if known is not None:
        return Constant(known)
    among = containers.items(run, container) if isinstance(container, Sequence_) else None
    within = run.identity(container) if among is None else tuple(map(run.identity, among))
    return run.test(("in", run.identity(element), within))


def _are_equal(run: Run, left: Value, right: Value) -> Value | None:
    """`left == right` of containers, records and members of enums; None if that is not known."""
    if isinstance(left, Instance) and isinstance(right, Instance):
        if enums.is_member(left) and enums.is_member(right):
            return Constant(left is right)
        return data_classes.are_equal(run, left, right)
    if _are_of_other_kinds(left, right) or _are_of_other_kinds(right, left):
        return Constant(False)
    known = container_operators.related(run, operator.eq, left, right)
    return None if known is None else Constant(known)


def _tell_rounds_apart(run: Run, value: Value, word: Hashable, bit: int) -> None:
    """Note that an element of a loop, or a part of it, is compared with a word, as that of the round before may be."""
    element: Value | None = value
    while element not in run.round_before and isinstance(element, Unknown):
        element = element.owner
    if element is None or element not in run.round_before:
        return
    earlier = run.round_before[element]
    before = {} if earlier is None else run.words_of_elements.get(earlier, {})
    run.exclude(bit, [one for known, one in before.items() if known == word])
    run.orders += [1 << bit | 1 << one for known, one in before.items() if known != word]
    run.words_of_elements.setdefault(element, {})[word] = bit


def _equal(run: Run, left: Value, right: Value) -> Value:
    """left == right as a test: a value equals one word or number only, and so do two rounds of a loop between them."""
    key = ("==", run.identity(left), run.identity(right))
    is_new = run.known(key) is None
    test = run.test(key)
    if isinstance(left, Scalar) and left.last and isinstance(right, Constant):
        run.numbered |= 1 << test.bit
    word = right.value if isinstance(right, Constant) else right if enums.is_member(right) else None
    if isinstance(word, (str, Instance)) or type(word) is int:
        words = run.words.setdefault(left, {})
        if word not in words:
            run.exclude(test.bit, words.values())
            words[word] = test.bit
            if type(word) is not int:
                _tell_rounds_apart(run, left, word, test.bit)
            if isinstance(word, str) and _is_another(left, word):
                run.expect_another_word(test.bit)
    if isinstance(left, Scalar) and isinstance(right, Constant) and _are_numbers(left.default, right.value):
        run.expect(test.bit, left.default == right.value)
    elif is_new and isinstance(left, Unknown) and isinstance(right, Unknown):
        # None may stand for one of two options, but hardly for both
        run.exclude(test.bit, [run.test(("is", side, "None")).bit for side in (left, right)])
    return test


def _are_of_other_kinds(one: Value, other: Value) -> bool:
    """Whether one is an object and the other None, or one a container and the other a word: they are never equal.

    A callable may stand for a word that chooses it where arguments are only guessed: that is not decided.
    """
    if not isinstance(other, Constant):
        return False
    if other.value is None:
        return isinstance(one, _OBJECTS) and not isinstance(one, _MAY_EQUAL)
    return isinstance(one, (Sequence_, Mapping_)) and isinstance(other.value, (str, bytes, int, float))


def _are_numbers(*values: object) -> bool:
    return all(type(value) in (int, float) for value in values)


def _is_another(value: Value, word: str) -> bool:
    """Whether a string is not the default of a value; of an unknown option no string is taken to be."""
    if isinstance(value, Scalar):
        return value.default is not None and value.default != word and not isinstance(value, Option)
    return isinstance(value, Unknown) and (value.left_out or value.option)


def _partly_constant(value: Phi) -> bool:
    """Whether some alternative is a constant, so that a comparison may be decided on its paths."""
    return any(isinstance(atom, Constant) for _, atom in value.alternatives)


def _same(run: Run, op: str, left: Value, right: Value, at: ast.AST) -> Value | None:
    """`==` or `is` of classes, versions, functions and objects, as a constant; None if it is not decided."""
    if op not in ("is", "is not", "==", "!="):
        return None
    same = instances.are_same(run, left, right)
    alike = (FunctionValue, Instance) if op.startswith("is") else (FunctionValue, Instance, Bound)
    if same is None and isinstance(left, alike) and isinstance(right, alike):
        same = None if isinstance(left, Instance) and left.many else handles.are_same(left, right)
    if same is None:
        found = instances.is_of_type(run, left, right) or instances.is_of_type(run, right, left)
        return found if found is None or op in ("is", "==") else operators.unary(run, "not", found, at)
    return Constant(same == (op in ("is", "==")))


def _identical(run: Run, positive: bool, left: Value, right: Value, at: ast.AST) -> Value:
    if isinstance(left, Constant) and isinstance(right, Constant):
        return Constant((left.value is right.value) == positive)
    if left is right or (enums.is_member(left) and enums.is_member(right)):
        return Constant((left is right) == positive)
    for one, other in ((left, right), (right, left)):
        if isinstance(other, Constant):
            if isinstance(one, _OBJECTS):
                return Constant(not positive)
            key = run.key_of(one) if isinstance(one, Scalar) else None
            if (
                isinstance(key, tuple)
                and key[0] == "attribute"
                and key[2] == "grad_fn"
                and other.value is None
            ):
                has_graph = requires_grad.get(run, key[1])
                return operators.unary(run, "not", has_graph, at) if positive else has_graph
            return _polarity(run, ("is", one, repr(other.value)), positive)
    return _polarity(run, ("is", run.identity(left), run.identity(right)), positive)


def _polarity(run: Run, key: Hashable, positive: bool) -> Value:
    test = run.test(key)
    return test if positive else run.scalar_not(test)


def _last_iteration(run: Run, op: str, left: Scalar, right: Value, at: ast.AST) -> bool | None:
    """Decide `i < n - 1`, `i > 0` and their kin for a loop index i up to n, by the first and the last round."""
    if left.falls and isinstance(right, Constant) and right.value == 0:
        return {"==": left.last, "<=": left.last, "!=": not left.last, ">": not left.last}.get(op)
    if left.rises is not None and isinstance(right, Constant):
        first = left.rises.holds(left, op, right.value)
        if first is not None:
            return first
    if left.bound is None:
        return None
    behind: int | None = None
    if isinstance(right, Constant) and isinstance(left.bound, Constant):
        if isinstance(right.value, int) and isinstance(left.bound.value, int):
            behind = left.bound.value - right.value
    elif right is left.bound:
        behind = 0
    elif isinstance(right, Tensor) and not right.storage.proved:
        behind = 1  # unknown arithmetic such as `self.depth - 1`: most likely the last index
    elif isinstance(right, Scalar) and right is run.scalar(("-", run.identity(left.bound), ("constant", 1))):
        behind = 1
    elif isinstance(right, Constant) and _is_one_less(at):
        behind = 1  # the length of the loop is not known, and the source compares with `n - 1`
    if behind != 1 - left.shift:
        return None
    last = left.last
    return {"<": not last, ">=": last, "==": last, "!=": not last}.get(op)


def _is_one_less(comparison: ast.AST) -> bool:
    """Whether the right side of a comparison is written `n - 1`."""
    sides: list[ast.expr] = getattr(comparison, "comparators", [])
    side = sides[0] if len(sides) == 1 else None
    return (
        isinstance(side, ast.BinOp)
        and isinstance(side.op, ast.Sub)
        and getattr(side.right, "value", None) == 1
        and not isinstance(side.left, ast.Constant)
    )
