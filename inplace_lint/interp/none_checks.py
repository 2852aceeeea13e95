"""Ends the paths on which a value is None that is used as an object: Python raises there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .frames import DEAD
from .guards import both, either, literal
from .values import Constant, Phi, Unknown

if TYPE_CHECKING:
    from .guards import Guard
    from .run import Run
    from .values import Value


def is_left(run: Run, *asked: Value) -> bool:
    """Cut the paths on which one of the values is None, and return whether any path is left.

    A path is cut where an alternative of the value is None, or where a test `x is None` holds of an unknown value. A
    value that is None on every path cuts nothing: it may be set from elsewhere.
    """
    for value in asked:
        if not isinstance(value, (Phi, Unknown)):
            continue
        if not any(_may_be_none(run, atom) for atom in run.possible(value)):
            continue
        before = run.live(value)
        after = [_where_given(run, atom, guard) for guard, atom in before]
        if any(guard != given for (guard, _), given in zip(before, after)):
            run.path = DEAD
            for given in after:
                run.path = either(run.path, given)
    return bool(run.path)


def _may_be_none(run: Run, atom: Value) -> bool:
    """Whether a value is None, or a test asked whether it is."""
    if isinstance(atom, Constant):
        return atom.value is None
    return isinstance(atom, Unknown) and run.known(("is", atom, "None")) is not None


def _where_given(run: Run, atom: Value, path: Guard) -> Guard:
    """The part of a path on which the value is not None."""
    if isinstance(atom, Constant) and atom.value is None:
        return DEAD
    bit = run.known(("is", atom, "None")) if isinstance(atom, Unknown) else None
    return path if bit is None else both(path, literal(bit, False))
