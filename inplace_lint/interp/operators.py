"""Models operators: tensors go to the op table, constants are folded, and comparisons become tests of the path."""

from __future__ import annotations

import ast
import operator
from typing import TYPE_CHECKING

from ..torchmodel import table
from . import containers, instances, ops, own_operators, requires_grad
from .joins import join
from .values import (
    Array,
    Bound,
    ClassValue,
    Constant,
    FunctionValue,
    Instance,
    Mapping_,
    Native,
    OpValue,
    Parameters,
    Phi,
    Scalar,
    Sequence_,
    Symbol,
    Tensor,
    Test,
    Text,
    TorchModule,
    Unknown,
    Value,
    alternatives,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    from .run import Run

_ARITHMETIC: dict[str, Callable[[object, object], object]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "//": operator.floordiv,
    "%": operator.mod,
}
_RELATIONS: dict[str, Callable[..., object]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_LARGEST = 1 << 40
_OBJECTS = (
    Instance,
    TorchModule,
    FunctionValue,
    Bound,
    Native,
    OpValue,
    ClassValue,
    Symbol,
    Sequence_,
    Mapping_,
    Tensor,
    Test,
)


def binary(run: Run, op: str, left: Value, right: Value, at: ast.AST) -> Value:
    """left op right, for arithmetic and bitwise operators."""
    own = own_operators.binary(run, op, left, right, at)
    if own is not None:
        return own
    if isinstance(left, Constant) and isinstance(right, Constant):
        return _fold(op, left.value, right.value)
    if is_array(left) or is_array(right):
        if not (_is_tensor(left) or _is_tensor(right)):
            return Array()
    elif _plain(left) and _plain(right):
        if isinstance(left, Constant) and isinstance(left.value, str):
            return Text()
        return _counted_on(run, op, left, right)
    if isinstance(left, Sequence_):
        if op == "+" and isinstance(right, Sequence_):
            return containers.joined(run, left, right)
        if op == "*" and not _may_be_tensor(right):
            return _repeat(run, left, right)
    if _may_be_tensor(left) or _may_be_tensor(right):
        found = table.operator(op)
        if found is not None:
            return ops.apply(run, found, [left, right], {}, at, function=False)
    return Unknown()


def _counted_on(run: Run, op: str, left: Value, right: Value) -> Value:
    """A number or string computed from two; `i + 1` of a loop index stays tied to the round of the loop."""
    texts = isinstance(left, Text) or (isinstance(right, Constant) and isinstance(right.value, str))
    made = run.scalar((op, _identity(left), _identity(right)), Text if texts and op in "+%" else Scalar)
    if op not in "+-" or not (isinstance(left, Scalar) and isinstance(right, Constant)):
        return made
    if left.bound is not None and type(right.value) is int:
        made.bound, made.last = left.bound, left.last
        made.shift = left.shift + (right.value if op == "+" else -right.value)
    return made


def _repeat(run: Run, sequence: Sequence_, count: Value) -> Value:
    """`[x] * n`: a sequence that holds the same object n times."""
    elements = containers.items(run, sequence)
    if (
        elements is not None
        and isinstance(count, Constant)
        and isinstance(count.value, int)
        and count.value <= 8
    ):
        return containers.make(run, sequence.kind, elements * count.value)
    repeated = Sequence_(sequence.kind)
    run.born[repeated] = run.inexact
    for element in run.elements(sequence):
        containers.smear(run, repeated, element)
    return repeated


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
    known = own_operators.compare(run, op, left, right, at) or _same(op, left, right)
    if known is not None:
        return known
    if op in ("is", "is not"):
        return _identical(run, op == "is", left, right, at)
    if isinstance(left, Constant) and isinstance(right, Constant):
        relation = _RELATIONS.get(op)
        try:
            if relation is not None:
                return Constant(relation(left.value, right.value))
            if op in ("in", "not in"):
                return Constant((left.value in right.value) == (op == "in"))  # type: ignore[operator]  # else TypeError
        except TypeError:
            pass
        return Scalar()
    if isinstance(left, Scalar):
        last = _last_iteration(run, op, left, right, at)
        if last is not None:
            left.asked = True
            return Constant(last)
    if op in ("in", "not in"):
        if isinstance(left, Constant) and isinstance(right, Mapping_):
            held = containers.holds(run, right, left.value)
            if held is not None:
                return Constant(held == (op == "in"))
        return _polarity(run, ("in", _identity(left), _identity(right)), op == "in")
    if isinstance(left, Tensor) or isinstance(right, Tensor):
        found = table.operator(op)
        if found is not None:
            return ops.apply(run, found, [left, right], {}, at, function=False)
    if op in ("==", "!="):
        equal = _equal(run, left, right)
        return equal if op == "==" else unary(run, "not", equal, at)
    negated = {">=": "<", ">": "<="}
    if op in negated:
        return _polarity(run, (negated[op], _identity(left), _identity(right)), False)
    return _polarity(run, (op, _identity(left), _identity(right)), True)


def _equal(run: Run, left: Value, right: Value) -> Value:
    """left == right as a test: a value equals one string only, and so do two rounds of a loop between them."""
    test = run.test(("==", _identity(left), _identity(right)))
    if isinstance(left, Scalar) and left.last and isinstance(right, Constant):
        run.numbered |= 1 << test.bit
    if isinstance(right, Constant) and isinstance(right.value, str):
        words = run.words.setdefault(left, {})
        if right.value not in words:
            before = run.words.get(run.round_before.get(left, left), {}).get(right.value)
            others = [*words.values(), *([] if before is None else [before])]
            exclusive = run.program.built.exclusive if run.builds else run.exclusive
            exclusive += [1 << bit | 1 << test.bit for bit in others]
            words[right.value] = test.bit
            if _is_another(left, right.value):
                run.expect_another_word(test.bit)
    elif isinstance(left, Scalar) and isinstance(right, Constant) and _are_numbers(left.default, right.value):
        run.expect(test.bit, left.default == right.value)
    return test


def _are_numbers(*values: object) -> bool:
    return all(type(value) in (int, float) for value in values)


def _is_another(value: Value, word: str) -> bool:
    """Whether a string is not the default of a value; of an unknown option no string is taken to be."""
    if isinstance(value, Scalar):
        return value.default is not None and value.default != word
    return isinstance(value, Unknown) and (value.left_out or value.option)


def _partly_constant(value: Phi) -> bool:
    """Whether some alternative is a constant, so that a comparison may be decided on its paths."""
    return any(isinstance(atom, Constant) for _, atom in value.alternatives)


def _same(op: str, left: Value, right: Value) -> Value | None:
    """`==` or `is` of classes and versions, as a constant; None if it is not decided."""
    same = instances.are_same(left, right) if op in ("is", "is not", "==", "!=") else None
    return None if same is None else Constant(same == (op in ("is", "==")))


def _identical(run: Run, positive: bool, left: Value, right: Value, at: ast.AST) -> Value:
    if isinstance(left, Constant) and isinstance(right, Constant):
        return Constant((left.value is right.value) == positive)
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
                return unary(run, "not", has_graph, at) if positive else has_graph
            return _polarity(run, ("is", one, repr(other.value)), positive)
    return _polarity(run, ("is", _identity(left), _identity(right)), positive)


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
    elif isinstance(right, Scalar) and right is run.scalar(("-", _identity(left.bound), ("constant", 1))):
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


def unary(run: Run, op: str, operand: Value, at: ast.AST) -> Value:
    """-x, +x, ~x, not x."""
    if op == "not":
        if isinstance(operand, Phi):
            results = [(g, unary(run, op, atom, at)) for g, atom in run.live(operand)]
            return join(results) if results else Unknown()
        true, false = run.split(operand)
        if not false:
            return Constant(False)
        if not true:
            return Constant(True)
        if isinstance(operand, Test):
            return run.scalar_not(operand)
        return run.scalar_not(run.test(("true", operand)))
    if isinstance(operand, Constant):
        try:
            if op == "neg":
                return Constant(-operand.value)  # type: ignore[operator]  # else a TypeError, as in Python
            if op == "pos":
                return Constant(+operand.value)  # type: ignore[operator]  # the same
        except TypeError:
            pass
        return Scalar()
    own = own_operators.unary(run, op, operand, at)
    if own is not None:
        return own
    if _may_be_tensor(operand):
        found = table.operator(op)
        if found is not None:
            return ops.apply(run, found, [operand], {}, at, function=False)
        return Unknown()
    return Array() if is_array(operand) else run.scalar((op, operand))


def is_array(value: Value) -> bool:
    """Whether a value is an array on every path; arithmetic on one makes a new array."""
    return isinstance(value, Array) or (
        isinstance(value, Phi) and all(isinstance(atom, Array) for _, atom in value.alternatives)
    )


def _is_tensor(value: Value) -> bool:
    """Whether a value has been used as a tensor on some path."""
    return any(
        isinstance(atom, (Tensor, Parameters)) or (isinstance(atom, Unknown) and atom.tensor is not None)
        for _, atom in alternatives(value)
    )


def _identity(value: Value) -> Hashable:
    """A key under which equal constants, or the same value, make the same test."""
    if isinstance(value, Constant):
        plain = value.value
        return ("constant", plain if isinstance(plain, (int, str, float, type(None))) else repr(plain))
    return value


def _plain(value: Value) -> bool:
    return isinstance(value, (Scalar, Constant))


def _may_be_tensor(value: Value) -> bool:
    if isinstance(value, Phi):
        return any(_may_be_tensor(atom) for _, atom in value.alternatives)
    return isinstance(value, (Tensor, Unknown, Parameters))


def _fold(op: str, left: object, right: object) -> Value:
    action = _ARITHMETIC.get(op)
    if action is None:
        return Scalar()
    numbers = isinstance(left, (int, float)) and isinstance(right, (int, float))
    if not numbers and not (op == "+" and isinstance(left, str) and isinstance(right, str)):
        return Scalar()
    if numbers and (abs(left) > _LARGEST or abs(right) > _LARGEST):  # type: ignore[arg-type]  # both are numbers here
        return Scalar()
    try:
        return Constant(action(left, right))
    except (ArithmeticError, ValueError, TypeError):
        return Scalar()
