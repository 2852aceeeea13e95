"""Decides operators of containers that are known exactly: `x in c`, `c == d`, `c < d`, `c | d`."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

from .concrete import call, contents, python_of, value_of
from .ordered import Undecided
from .values import Mapping_, Sequence_, Value

if TYPE_CHECKING:
    import ast
    from collections.abc import Callable

    from .run import Run


def contains(run: Run, container: Value, element: Value) -> bool | None:
    """`element in container`; None if it is not known."""
    held = contents(run, container)
    if held is None:
        return None
    try:
        return python_of(run, element) in held
    except (Undecided, TypeError):
        return None


def related(run: Run, relation: Callable[..., Any], left: Value, right: Value) -> bool | None:
    """`left == right` or `left < right` of two containers; None if it is not known."""
    if not isinstance(left, (Sequence_, Mapping_)) or not isinstance(right, (Sequence_, Mapping_)):
        return None
    one, other = contents(run, left), contents(run, right)
    try:
        return None if one is None or other is None else bool(relation(one, other))
    except (Undecided, TypeError):
        return None


_SIGNS: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "|": operator.or_,
    "&": operator.and_,
    "-": operator.sub,
    "^": operator.xor,
}


def combined(run: Run, op: str, left: Value, right: Value, at: ast.AST) -> Value | None:
    """`left | right` of sets or dicts, and the like for sets; None if it is not known, or they are none."""
    kinds = {one.kind for one in (left, right) if isinstance(one, (Sequence_, Mapping_))}
    if op not in _SIGNS or kinds not in ({"set"}, {"dict"}, {"Counter"}):
        return None
    try:
        return value_of(run, call(run, _SIGNS[op], [left, right], {}, at))
    except Undecided:
        return None
