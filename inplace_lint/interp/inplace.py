"""Models `x += y` and its kin: tensors, lists and arrays change in place; other values are computed and rebound."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..torchmodel import table
from . import arrays, containers, operators, ops, own_operators
from .guards import both
from .joins import join
from .values import Array, Parameters, Phi, Sequence_, Tensor, Unknown, Value

if TYPE_CHECKING:
    import ast

    from .run import Run


def augmented(run: Run, op: str, left: Value, right: Value, at: ast.AST) -> Value:
    """left op= right: write what can be written in place, and return the value that the target is bound to."""
    if isinstance(left, Phi):
        results = []
        path = run.path
        for guard, atom in left.alternatives:
            run.path = both(path, guard)
            if run.path:
                results.append((run.path, augmented(run, op, atom, right, at)))
        run.path = path
        return join(results) if results else Unknown()
    if isinstance(left, Sequence_) and left.kind == "list" and op == "+":
        extend(run, left, right)
        return left
    if isinstance(left, Array):
        arrays.write(run, left, f"{op}=", at)
        return left
    if not isinstance(left, (Tensor, Unknown, Parameters)):
        own = own_operators.augmented(run, op, left, right, at)
        return operators.binary(run, op, left, right, at) if own is None else own
    found = table.operator(op + "=")
    if found is None:
        return Unknown()
    return ops.apply(run, found, [left, right], {}, at, function=False)


def extend(run: Run, sequence: Sequence_, other: Value) -> None:
    """list += other, list.extend(other)."""
    known = containers.spread(run, other)
    if known is not None:
        for element in known:
            containers.append(run, sequence, element)
    else:
        for element in containers.elements_of(run, other):
            containers.smear(run, sequence, element)
