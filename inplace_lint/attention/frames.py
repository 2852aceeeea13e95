"""What an evaluation keeps: the calls that it stands in, the values as they came to be, the places where they went."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import ast
    from typing import TypeAlias

    from ..syntax.module import FunctionSource, Module
    from .terms import Term

    Conditions: TypeAlias = "tuple[tuple[Term, bool], ...]"
    Environment: TypeAlias = "dict[str, Term]"


class Spent(Exception):
    """The budget is used up: nothing is said of the function."""


class Unfollowed(Exception):
    """The function does what cannot be followed at all: nothing is said of it."""


@dataclass(slots=True, eq=False)
class Frame:
    """One call of a function. `enclosing` is the frame in which the function was made, for closures."""

    module: Module
    function: FunctionSource | None
    depth: int
    enclosing: Frame | None = None
    names: Environment = field(default_factory=dict)
    registers: dict[int, Term] = field(default_factory=dict)
    results: list[tuple[Conditions, Term]] = field(default_factory=list)
    conditions: Conditions = ()
    base: int = 0
    caller: Frame | None = None
    self_: Term | None = None
    #: names that an inner function binds (`nonlocal`): what they hold is never known
    unstable: set[str] = field(default_factory=set)


class Moment:
    """A value as it comes to be: the expression, the term, the names as they stand, the conditions it lies under."""

    __slots__ = ("at", "conditions", "depth", "function", "managers", "names", "order", "term")

    def __init__(self, at: ast.AST, term: Term, frame: Frame, order: int, managers: tuple[int, ...]) -> None:
        self.at, self.term, self.names, self.conditions = at, term, dict(frame.names), frame.conditions
        for name in frame.unstable:
            self.names.pop(name, None)
        self.depth, self.function = frame.depth, frame.function
        self.order, self.managers = order, managers


class Sink:
    """A place where a value leaves the graph. `kind` is return, store, call, print, assert, test or item; among the
    effects of an evaluation call (something that is not known), write (memory that changes), store or print.

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
