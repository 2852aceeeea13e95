"""Models `x += y` and its kin: tensors, lists and arrays change in place; other values are computed and rebound."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..torchmodel import table
from . import arrays, concrete, containers, operators, ops, own_operators, places
from .frames import LAST_PLACE, LENGTH
from .guards import both
from .handles import Handle
from .joins import join
from .values import Array, Constant, Mapping_, Parameters, Phi, Sequence_, Tensor, Unknown, Value

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
    if isinstance(left, (Sequence_, Mapping_)) and (left.kind, op) in _METHODS:
        return _by_method(run, left, _METHODS[left.kind, op], right, at)
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


#: The method that does the same as `left op= right` for a container of this kind.
_METHODS = {
    **{(kind, "+"): "extend" for kind in ("list", "deque", "ModuleList")},
    ("list", "*"): "*",
    ("dict", "|"): "update",
    ("set", "|"): "update",
    ("set", "-"): "difference_update",
    ("set", "&"): "intersection_update",
    ("set", "^"): "symmetric_difference_update",
}


def _by_method(run: Run, left: Sequence_ | Mapping_, name: str, right: Value, at: ast.AST) -> Value:
    """Changes a container in place, and returns it."""
    if isinstance(left, Sequence_) and name == "extend":
        extend(run, left, right)
    elif isinstance(left, Sequence_) and name == "*":
        known, times = containers.items(run, left), right.value if isinstance(right, Constant) else None
        if known is not None and isinstance(times, int) and times * len(known) <= _REPEATED:
            concrete.rewrite(run, left, [Handle(one) for one in known * times])
        else:
            run.state.slots[(left, LENGTH)] = Unknown()
            containers.forget_ends(run, left)
    else:
        run.call(run.attribute(left, name, at), [right], {}, at)
    return left


#: A list that `*=` makes longer than this is not followed element by element.
_REPEATED = 64


def extend(run: Run, sequence: Sequence_, other: Value) -> None:
    """list += other, list.extend(other)."""
    if isinstance(other, Phi):
        run.each(other, lambda atom: extend(run, sequence, atom))
        return
    known = containers.spread(run, other)
    if known is not None:
        for element in known:
            containers.append(run, sequence, element)
    else:
        for element in containers.elements_of(run, other):
            containers.smear(run, sequence, element)
        places.forget(run, sequence, LAST_PLACE)
