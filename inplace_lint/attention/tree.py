"""Answers questions about syntax nodes: which names a statement binds or reads, and which node contains which."""

from __future__ import annotations

import ast

from ..syntax.nodes import children, end_of, inner_bodies, start_of


def contains(outer: ast.AST, inner: ast.AST) -> bool:
    """Whether the source span of `outer` includes that of `inner`."""
    return start_of(outer) <= start_of(inner) and end_of(inner) <= end_of(outer)


def bound_by(statement: ast.stmt) -> tuple[str, ...] | None:
    """The one name that a removable statement binds or changes in place; None for any other statement."""
    if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
        target: ast.expr = statement.targets[0]
    elif isinstance(statement, ast.AugAssign) or (isinstance(statement, ast.AnnAssign) and statement.value):
        target = statement.target
    elif isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        func = statement.value.func
        if not isinstance(func, ast.Attribute) or not func.attr.endswith("_"):
            return None
        target = func.value
    else:
        return None
    if has_walrus(statement):
        return None
    return (target.id,) if isinstance(target, ast.Name) else None


def surely_bound(statement: ast.stmt) -> set[str]:
    """The names that an assignment binds whenever it runs; empty for any other statement."""
    if isinstance(statement, ast.Assign):
        targets = statement.targets
    elif isinstance(statement, ast.AnnAssign) and statement.value is not None:
        targets = [statement.target]  # `x: int` alone binds nothing
    else:
        return set()
    nodes = [node for target in targets for node in nodes_of(target)]
    return {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}


def nodes_of(node: ast.AST) -> list[ast.AST]:
    found, stack = [], [node]
    while stack:
        one = stack.pop()
        found.append(one)
        stack += children(one)
    return found


def own_nodes_of(statement: ast.stmt) -> list[ast.AST]:
    """The nodes of a statement, without those of statements nested in its blocks."""
    inner = {id(one) for body in inner_bodies(statement) for one in body}
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        inner = set()
    found: list[ast.AST] = []
    stack: list[ast.AST] = [statement]
    while stack:
        one = stack.pop()
        if id(one) in inner:
            continue
        found.append(one)
        stack += children(one)
    return found


def loads(statement: ast.stmt) -> list[tuple[ast.expr, str]]:
    return [
        (one, one.id)
        for one in nodes_of(statement)
        if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load)
    ]


def own_loads(statement: ast.stmt) -> list[tuple[ast.expr, str]]:
    """Name reads of a statement without nested ones; `x += y` reads x, and `del x` counts as a read."""
    found: list[tuple[ast.expr, str]] = [
        (one, one.id)
        for one in own_nodes_of(statement)
        if isinstance(one, ast.Name) and not isinstance(one.ctx, ast.Store)
    ]
    if isinstance(statement, ast.AugAssign) and isinstance(statement.target, ast.Name):
        found.append((statement.target, statement.target.id))
    return found


def has_walrus(node: ast.AST) -> bool:
    return any(isinstance(one, ast.NamedExpr) for one in nodes_of(node))


def has_call(node: ast.AST) -> bool:
    return any(isinstance(one, (ast.Call, ast.Await, ast.Yield)) for one in nodes_of(node))


#: Functions and methods without side effects: a call can be removed if its result is unread.
_PURE = frozenset(
    "tril triu ones zeros full size sqrt view reshape unsqueeze expand bool to float eq ne lt gt tensor arange "
    "transpose permute finfo expand_as len int repeat_interleave contiguous logical_not dim".split()
)


def is_pure(node: ast.AST) -> bool:
    """Whether a node makes no calls except those in `_PURE`."""
    for one in nodes_of(node):
        if isinstance(one, ast.Call):
            name = getattr(one.func, "attr", getattr(one.func, "id", ""))
            if name not in _PURE:
                return False
        if isinstance(one, (ast.Await, ast.Yield, ast.YieldFrom)):
            return False
    return True


def is_print(statement: ast.stmt) -> bool:
    return (
        isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Call)
        and getattr(statement.value.func, "id", "") == "print"
    )


def words_of(text: str) -> set[str]:
    """The identifiers and numbers in a text."""
    words, word = set(), ""
    for letter in text + " ":
        if letter.isalnum() or letter == "_":
            word += letter
        else:
            if word:
                words.add(word)
            word = ""
    return words
