"""Defines the records of a value graph: call frames, moments (a value and the names in scope), sinks (uses of a value)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import ast
    from collections.abc import Mapping
    from typing import TypeAlias

    from ..interp.values import Value
    from ..syntax.module import FunctionSource, Module
    from .terms import Term

    Conditions: TypeAlias = "tuple[tuple[Term, bool], ...]"


class Spent(Exception):
    """The budget is used up: nothing is said of the function."""


class Unfollowed(Exception):
    """The function does what cannot be followed at all: nothing is said of it."""


@dataclass(slots=True, eq=False)
class Frame:
    """One call of a function, `depth` calls below the one whose graph this is, and the conditions that hold there."""

    module: Module
    function: FunctionSource | None
    depth: int
    conditions: Conditions = ()


class Moment:
    """A value as it comes to be: the expression, the term, the names as they stand, the conditions it lies under.

    `held` has the interpreter's values of the names.
    """

    __slots__ = ("at", "conditions", "depth", "function", "held", "managers", "names", "order", "term")

    def __init__(
        self,
        at: ast.AST,
        term: Term,
        frame: Frame,
        order: int,
        managers: tuple[int, ...],
        names: Mapping[str, tuple[Value, Term]],
    ) -> None:
        self.at, self.term, self.conditions = at, term, frame.conditions
        self.names = {name: known for name, (_, known) in names.items()}
        self.held = {name: value for name, (value, _) in names.items()}
        self.depth, self.function = frame.depth, frame.function
        self.order, self.managers = order, managers


class Sink:
    """A place where a value leaves the graph. `kind` is return, store, call, print, assert, test or item; among the
    effects of a graph it is call (of something that is not known), write (memory that changes), store or print.

    `site` is the expression of the evaluated function itself under which it happens.
    """

    __slots__ = ("at", "conditions", "depth", "function", "kind", "order", "site", "term")

    def __init__(self, at: ast.AST, kind: str, term: Term, frame: Frame, order: int, site: ast.AST) -> None:
        self.at, self.kind, self.term, self.order, self.site = at, kind, term, order, site
        self.function, self.depth, self.conditions = frame.function, frame.depth, frame.conditions


def are_apart(one: Conditions, other: Conditions) -> bool:
    """Whether two places lie on different arms of a condition."""
    met = dict(one)
    return any(met.get(test, holds) is not holds for test, holds in other)
