"""Defines the records of a value graph: call frames, moments (a value and its local names), sinks (uses of values)."""

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
    """The budget is used up; the function gets no findings."""


class Unfollowed(Exception):
    """The function calls something like `eval` or `locals()`, which cannot be followed; it gets no findings."""


@dataclass(slots=True, eq=False)
class Frame:
    """One call of a function: `depth` counts the calls below the graph's root, `conditions` is the path condition."""

    module: Module
    function: FunctionSource | None
    depth: int
    conditions: Conditions = ()


class Moment:
    """One evaluation of an expression: its term, the path condition, and the local names with their terms at that time.

    `names` maps each name to its term, `held` to the interpreter's value; `managers` are the open `with` statements.
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
    """A use of a value. `kind` in `Graph.sinks`: return, store, call, print, assert, test or item; in `Graph.effects`:
    call (of unknown code), write (to memory), store or print.

    `site` is the expression of the graph's root function under which it happens, also if it happens in a helper.
    """

    __slots__ = ("at", "conditions", "depth", "function", "kind", "order", "site", "term")

    def __init__(self, at: ast.AST, kind: str, term: Term, frame: Frame, order: int, site: ast.AST) -> None:
        self.at, self.kind, self.term, self.order, self.site = at, kind, term, order, site
        self.function, self.depth, self.conditions = frame.function, frame.depth, frame.conditions


def are_apart(one: Conditions, other: Conditions) -> bool:
    """Whether two path conditions contradict: they require opposite outcomes of the same test."""
    met = dict(one)
    return any(met.get(test, holds) is not holds for test, holds in other)
