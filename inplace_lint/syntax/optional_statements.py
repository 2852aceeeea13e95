"""Decides whether a function uses a name only when its caller changes a flag from its default (`debug=False`)."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from .nodes import inner_bodies, walk

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .module import FunctionSource


def only_when_asked(source: FunctionSource, name: str) -> bool:
    """Whether a function uses a name, or an attribute of that name, only if a flag is changed from its default."""
    flags = _flags(source)
    body = source.node.body
    return bool(flags) and isinstance(body, list) and not _is_used(body, name, flags)


def _flags(source: FunctionSource) -> dict[str, bool]:
    """The parameters with a boolean default that are never rebound, each with the default."""
    stored = {
        node.id
        for node in walk(source.node)
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)
    }
    given = {}
    for parameter in (*source.parameters, *source.node.args.kwonlyargs):
        default = source.default_of(parameter)
        if isinstance(default, ast.Constant) and type(default.value) is bool and parameter.arg not in stored:
            given[parameter.arg] = default.value
    return given


def _is_used(body: Sequence[ast.stmt], name: str, flags: dict[str, bool]) -> bool:
    """Whether the name is used when all flags have their defaults."""
    for statement in body:
        if not isinstance(statement, ast.If):
            bodies = inner_bodies(statement)
            if any(_is_used(each, name, flags) for each in bodies) or _begins_with(statement, bodies, name):
                return True
            continue
        holds = _by_default(statement.test, flags)
        both = {True: statement.body, False: statement.orelse}
        arms = [arm for is_it, arm in both.items() if holds in (is_it, None)]
        if _has(statement.test, name) or any(_is_used(arm, name, flags) for arm in arms):
            return True
        if holds is not None and arms[0] and isinstance(arms[0][-1], (ast.Return, ast.Raise)):
            return False  # the rest is unreachable
    return False


def _by_default(test: ast.expr, flags: dict[str, bool]) -> bool | None:
    """Whether a test is true by default; None if it depends on other values."""
    if isinstance(test, ast.Name):
        return flags.get(test.id)
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        inner = _by_default(test.operand, flags)
        return None if inner is None else not inner
    if isinstance(test, ast.BoolOp):
        each = [_by_default(value, flags) for value in test.values]
        decides = isinstance(test.op, ast.Or)
        return decides if decides in each else None if None in each else not decides
    return None


def _begins_with(statement: ast.stmt, bodies: list[list[ast.stmt]], name: str) -> bool:
    """Whether the name occurs in a compound statement outside its bodies."""
    inside = {id(node) for body in bodies for node in body}
    return any(_has(node, name) for node in ast.iter_child_nodes(statement) if id(node) not in inside)


def _has(node: ast.AST, name: str) -> bool:
    return any(name in (getattr(inner, "id", None), getattr(inner, "attr", None)) for inner in walk(node))
