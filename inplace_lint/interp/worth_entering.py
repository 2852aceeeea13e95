"""Decides which calls a run enters although the function called writes nothing itself: those that lead to a write."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import lookup
from .budget import is_small
from .frames import MODE
from .values import Bound, FunctionValue, Instance, Mapping_, Sequence_, flatten

if TYPE_CHECKING:
    import ast
    from collections.abc import Mapping, Sequence

    from ..syntax.module import FunctionSource
    from .run import Run
    from .values import Value


def has_to_be_entered(
    run: Run, source: FunctionSource, args: Sequence[Value], kwargs: Mapping[str, Value], at: ast.AST
) -> bool:
    """Whether something in a call may matter, or the function is so small that entering it is cheaper than deciding."""
    if run.entering.decorates:
        return source.name == "__init__" or is_small(source) or run.program.may_return(run.frame.function, at)
    return (
        source in run.entering.deep
        or source.name == "__init__"
        or is_small(source)
        or run.program.enters(source)
        or run.program.gives_writer(source)
        or _is_given_a_writer(run, source, args, kwargs)
    )


def _is_given_a_writer(
    run: Run, source: FunctionSource, args: Sequence[Value], kwargs: Mapping[str, Value]
) -> bool:
    """Whether an argument is an object that writes when it is called, or by a method that the function calls on it.

    A module whose mode was set counts too: in training, BatchNorm writes the statistics that evaluation has read.
    """
    for value in (*args, *kwargs.values()):
        if isinstance(value, Instance):
            if run.program.asks_to_write(source, value.cls.source):
                return True
            if run.state.get((value, MODE)) is not None or _holds_a_writer(run, value):
                return True
            for name in ("forward", "__call__"):
                found = lookup.find(run, value.cls.order(), name)
                if isinstance(found, FunctionValue) and run.program.enters(found.source):
                    return True
    return False


#: How deep the lists and tables that an object holds are looked through.
_DEPTH = 3


def _holds_a_writer(run: Run, value: Instance | Sequence_ | Mapping_, depth: int = _DEPTH) -> bool:
    """Whether an object has a function that writes in a list or table of its own: it may call each of them."""
    for held in run.elements(value) if depth else ():
        for atom in flatten(held):
            if isinstance(atom, (Sequence_, Mapping_)):
                if _holds_a_writer(run, atom, depth - 1):
                    return True
            elif not isinstance(value, Instance):
                while isinstance(atom, Bound):
                    atom = atom.func
                if isinstance(atom, FunctionValue) and run.program.enters(atom.source):
                    return True
    return False
