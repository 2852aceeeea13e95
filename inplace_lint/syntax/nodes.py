"""Helpers for Python's syntax tree: walks over nodes and nested statements, positions, and names that code binds."""

from __future__ import annotations

import ast
from bisect import bisect_left
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


def is_special(name: str) -> bool:
    """Whether Python calls a method of this name, as `__init__`; `__helper` is one that a class keeps to itself."""
    return name.startswith("__") and name.endswith("__")


def key_of(function: ast.AST, name: str) -> str:
    """The key of a function in its class: its name, but "x.setter" and "x.deleter" for those of a property `x`."""
    for decorator in getattr(function, "decorator_list", ()):
        if isinstance(decorator, ast.Attribute) and decorator.attr in ("setter", "deleter"):
            return f"{name}.{decorator.attr}"
    return name


def does_nothing(function: ast.AST) -> bool:
    """Whether a function has statements, and only such as a placeholder has: `pass`, `...`, a docstring, `raise`."""
    body = getattr(function, "body", None)
    return isinstance(body, list) and all(
        isinstance(getattr(one, "value", one), (ast.Pass, ast.Raise, ast.Constant)) for one in body
    )


def is_not_implemented(function: ast.AST) -> bool:
    """Whether a function ends in `raise NotImplementedError`, with or without a message."""
    last = getattr(function, "body", [None])[-1]
    raised = last.exc if isinstance(last, ast.Raise) else None
    return getattr(getattr(raised, "func", raised), "id", "") == "NotImplementedError"


def inner_bodies(statement: ast.stmt) -> list[list[ast.stmt]]:
    """The statement lists inside a compound statement."""
    kind = type(statement)
    if kind in _SIMPLE:
        return []
    if isinstance(statement, (ast.If, ast.For, ast.While)):
        return [statement.body, statement.orelse] if statement.orelse else [statement.body]
    bodies: list[list[ast.stmt]] = []
    for field in ("body", "orelse", "finalbody"):
        inner = getattr(statement, field, None)
        if isinstance(inner, list):
            bodies.append(inner)
    bodies.extend(handler.body for handler in getattr(statement, "handlers", ()))
    bodies.extend(case.body for case in getattr(statement, "cases", ()))
    return bodies


def start_of(node: ast.AST) -> tuple[int, int]:
    """Where a node begins: its row from 1, its column in bytes."""
    return node.lineno, node.col_offset  # type: ignore[attr-defined]  # of `ast.AST` no node is said to have a place


def end_of(node: ast.AST) -> tuple[int, int]:
    """Where a node ends."""
    return node.end_lineno or 0, node.end_col_offset or 0  # type: ignore[attr-defined]  # as above


#: Fields without child nodes, or with one (`ctx`) that only says whether a name is read or set.
_PLAIN = frozenset("arg asname attr conversion ctx id is_async kind level simple type_comment".split())
#: Node class -> its other fields.
_fields: dict[type[ast.AST], list[str]] = {ast.Constant: []}


def asks_for_main(test: ast.expr) -> bool:
    """Whether a test is that of a script's own part, `if __name__ == "__main__"`."""
    return isinstance(test, ast.Compare) and isinstance(test.left, ast.Name) and test.left.id == "__name__"


def first_name(node: ast.AST) -> str | None:
    """`a` of `a.b(c)[d].e`; None if the expression begins with something else than a name."""
    while (inner := getattr(node, "func", None) or getattr(node, "value", None)) is not None:
        node = inner
    return node.id if isinstance(node, ast.Name) else None


def children(node: ast.AST) -> list[ast.AST]:
    """The child nodes of a node, in the order of its fields."""
    kind = type(node)
    fields = _fields.get(kind)
    if fields is None:
        fields = _fields[kind] = [field for field in kind._fields if field not in _PLAIN]
    found: list[ast.AST] = []
    for field in fields:
        child = getattr(node, field, None)
        if isinstance(child, ast.AST):
            found.append(child)
        elif child and isinstance(child, list):
            found += [one for one in child if isinstance(one, ast.AST)]
    return found


def walk(node: ast.AST, without: set[ast.AST] | frozenset[ast.AST] = frozenset()) -> list[ast.AST]:
    """A node and its descendants, except the nodes in `without` and what is below them."""
    found, pending = [], [node]
    while pending:
        at = pending.pop()
        if at not in without:
            found.append(at)
            pending += children(at)
    return found


def children_at(node: ast.AST, rows: list[int]) -> list[ast.AST]:
    """The child nodes of a node, without statements that span none of these sorted rows."""
    return [one for one in children(node) if not isinstance(one, ast.stmt) or _is_at(one, rows)]


def _is_at(statement: ast.stmt, rows: list[int]) -> bool:
    decorators = getattr(statement, "decorator_list", None)
    at = bisect_left(rows, decorators[0].lineno if decorators else statement.lineno)
    return at < len(rows) and rows[at] <= (statement.end_lineno or 0)


def walk_at(node: ast.AST, rows: list[int]) -> list[ast.AST]:
    """A node and its descendants, without statements that span none of these sorted rows."""
    found, pending = [], [node]
    while pending:
        at = pending.pop()
        found.append(at)
        pending += children_at(at, rows)
    return found


def parents_at(node: ast.AST, rows: list[int]) -> dict[ast.AST, ast.AST]:
    """The parent of each node below a node, without statements that span none of these sorted rows."""
    return {child: one for one in walk_at(node, rows) for child in children_at(one, rows)}


#: Statements that contain no other statements: nearly all of them.
_SIMPLE = frozenset(
    [
        ast.Assign,
        ast.AnnAssign,
        ast.AugAssign,
        ast.Expr,
        ast.Return,
        ast.Raise,
        ast.Assert,
        ast.Delete,
        ast.Import,
        ast.ImportFrom,
        ast.Pass,
        ast.Break,
        ast.Continue,
        ast.Global,
        ast.Nonlocal,
    ]
)
#: The simple statements that assign nothing.
DULL = _SIMPLE - {ast.Assign, ast.AnnAssign, ast.AugAssign}


def bound_names(body: Sequence[ast.AST], bound: set[str], declared: set[str]) -> None:
    """Adds to `bound` the names that statements bind in their own scope: walrus targets, but not comprehension names.

    Names of `global` and `nonlocal` statements go to `declared`.
    """
    stack: list[ast.AST] = list(body)
    while stack:
        node = stack.pop()
        if isinstance(node, ast.Name):
            if isinstance(node.ctx, (ast.Store, ast.Del)):
                bound.add(node.id)
            continue
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            bound.add(node.name)
            continue
        if isinstance(node, ast.Lambda):
            continue
        if isinstance(node, ast.comprehension):
            stack.extend((node.iter, *node.ifs))
            continue
        if isinstance(node, (ast.Global, ast.Nonlocal)):
            declared.update(node.names)
            continue
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            for alias in node.names:
                bound.add(alias.asname or alias.name.partition(".")[0])
            continue
        name = getattr(node, "name", None)
        if isinstance(name, str):
            bound.add(name)
        rest = getattr(node, "rest", None)
        if isinstance(rest, str):
            bound.add(rest)
        stack += children(node)


def bound(target: ast.expr, value: ast.expr) -> list[tuple[ast.expr, ast.expr]]:
    """The (target, value) pairs of an assignment, taken apart where both sides are displays: `a, b = 1, 2`."""
    if (
        isinstance(target, (ast.Tuple, ast.List))
        and isinstance(value, (ast.Tuple, ast.List))
        and len(target.elts) == len(value.elts)
        and not any(isinstance(one, ast.Starred) for one in (*target.elts, *value.elts))
    ):
        return [pair for one, given in zip(target.elts, value.elts) for pair in bound(one, given)]
    return [(target, value)]
