"""Models operators: tensors go to the op table, constants are folded, and comparisons become tests of the path."""

from __future__ import annotations

import ast
import operator
from typing import TYPE_CHECKING

from ..torchmodel import table
from . import (
    concrete,
    container_operators,
    containers,
    contents,
    exceptions,
    ops,
    own_operators,
    strings,
)
from .joins import join
from .values import (
    Array,
    Constant,
    Parameters,
    Phi,
    Scalar,
    Sequence_,
    Tensor,
    Test,
    Text,
    Unknown,
    Value,
    alternatives,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from .run import Run

_ARITHMETIC: dict[str, Callable[[object, object], object]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "//": operator.floordiv,
    "%": operator.mod,
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
    "<<": operator.lshift,
    ">>": operator.rshift,
    "**": operator.pow,
}
#: Larger numbers are not computed with; nor are powers and shifts of, or by, more than the second.
_LARGEST = 1 << 40
_LARGEST_POWER = 32


def binary(run: Run, op: str, left: Value, right: Value, at: ast.AST) -> Value:
    """left op right, for arithmetic and bitwise operators."""
    own = own_operators.binary(run, op, left, right, at)
    if own is not None:
        return own
    if op == "%" and isinstance(left, Constant) and isinstance(left.value, str):
        return strings.formatted(run, left.value, right, at)
    if isinstance(left, Constant) and isinstance(right, Constant):
        if op in ("/", "//", "%") and right.value == 0 and isinstance(left.value, (int, float)):
            exceptions.throw_builtin(run, "ZeroDivisionError")
        return _fold(op, left.value, right.value)
    joined = container_operators.combined(run, op, left, right, at)
    if joined is not None:
        return joined
    if is_array(left) or is_array(right):
        if not (_is_tensor(left) or _is_tensor(right)):
            return Array()
    elif _plain(left) and _plain(right):
        if isinstance(left, Constant) and isinstance(left.value, str):
            return Text()
        return _counted_on(run, op, left, right, at)
    if isinstance(left, Sequence_):
        if op == "+" and isinstance(right, Sequence_):
            return containers.joined(run, left, right)
        if op == "*":
            return _repeat(run, left, right)  # of an unknown number: a list is multiplied by nothing else
    if isinstance(right, Sequence_) and op == "*" and right.kind in ("list", "tuple"):
        return _repeat(run, right, left)
    if _may_be_tensor(left) or _may_be_tensor(right):
        found = table.operator(op)
        if found is not None:
            return ops.apply(run, found, [left, right], {}, at, function=False)
    return Unknown()


def _counted_on(run: Run, op: str, left: Value, right: Value, at: ast.AST) -> Value:
    """A number or string computed from two; `i + 1` of a loop index stays tied to the round of the loop.

    In anything else the counter of a first round is 0, as in `offset + i`.
    """
    if op not in "+-" or not isinstance(right, Constant):
        first, second = _in_first_round(left), _in_first_round(right)
        if second is not right and op in "+-":
            return first
        if (
            (first is not left or second is not right)
            and isinstance(first, Constant)
            and isinstance(second, Constant)
        ):
            return binary(run, op, first, second, at)
    texts = isinstance(left, Text) or (isinstance(right, Constant) and isinstance(right.value, str))
    made = run.scalar((op, run.identity(left), run.identity(right)), Text if texts and op in "+%" else Scalar)
    if op not in "+-" or not (isinstance(left, Scalar) and isinstance(right, Constant)):
        return made
    if left.bound is not None and type(right.value) is int:
        made.bound, made.last = left.bound, left.last
        made.shift = left.shift + (right.value if op == "+" else -right.value)
    return made


def _in_first_round(value: Value) -> Value:
    """The value, or 0 if it is a counter that starts at 0 in the first round of its loop."""
    first = isinstance(value, Scalar) and value.rises is not None and value.rises.first is value
    return Constant(0) if first else value


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


def unary(run: Run, op: str, operand: Value, at: ast.AST) -> Value:
    """-x, +x, ~x, not x."""
    if op == "not":
        if isinstance(operand, Phi):
            results = [(g, unary(run, op, atom, at)) for g, atom in run.live(operand)]
            return join(results) if results else Unknown()
        held = contents.of(run, operand)
        if held is not None:
            return unary(run, op, held, at)
        true, false = run.split(operand)
        if not false:
            return Constant(False)
        if not true:
            return Constant(True)
        if isinstance(operand, Test):
            return run.scalar_not(operand)
        return run.scalar_not(run.test(("true", run.identity(operand))))
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


def _plain(value: Value) -> bool:
    return isinstance(value, (Scalar, Constant))


def _may_be_tensor(value: Value) -> bool:
    if isinstance(value, Phi):
        return any(_may_be_tensor(atom) for _, atom in value.alternatives)
    return isinstance(value, (Tensor, Unknown, Parameters))


def _fold(op: str, left: object, right: object) -> Value:
    """left op right for constants; results that would be very large are not computed."""
    action = _ARITHMETIC.get(op)
    if action is None:
        return Scalar()
    if op == "*" and isinstance(left, str) and isinstance(right, int):
        return Constant(left * right) if right * len(left) <= concrete.LONGEST else Text()
    numbers = isinstance(left, (int, float)) and isinstance(right, (int, float))
    if not numbers and not (op == "+" and isinstance(left, str) and isinstance(right, str)):
        return Scalar()
    if isinstance(left, (int, float)) and isinstance(right, (int, float)):
        most = _LARGEST_POWER if op in ("**", "<<", ">>") else _LARGEST
        if abs(left) > most or abs(right) > most:
            return Scalar()
    try:
        return Constant(action(left, right))
    except (ArithmeticError, ValueError, TypeError):
        return Scalar()
