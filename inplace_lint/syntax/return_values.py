"""Decides, by its text alone, whether a function returns its first argument, and which calls' results it may return."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from .nodes import children

if TYPE_CHECKING:
    from .module import FunctionSource

_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)


def returned_calls(source: FunctionSource) -> frozenset[ast.AST]:
    """The calls whose results a function may return, directly or through names assigned in it."""
    nodes = _own_nodes(source)
    pending: list[ast.AST] = [value for value in _returned(source, nodes) if value is not None]
    found: set[ast.AST] = set()
    names: set[str] = set()
    while pending:
        for node in ast.walk(pending.pop()):
            if isinstance(node, ast.Call):
                found.add(node)
            elif isinstance(node, ast.Name) and node.id not in names:
                names.add(node.id)
                pending += [
                    one.value
                    for one in nodes
                    if isinstance(one, ast.Assign)
                    and any(isinstance(at, ast.Name) and at.id == node.id for at in one.targets)
                ]
    return frozenset(found)


def returns_its_first(source: FunctionSource, within: frozenset[FunctionSource] = frozenset()) -> bool:
    """Whether every return gives the first argument, itself or through another such function of the file.

    `within` are the functions being checked, to end recursion.
    """
    first = source.parameters[0].arg if source.parameters else None
    nodes = _own_nodes(source)
    values = _returned(source, nodes)
    if not values or any(isinstance(node, (ast.Yield, ast.YieldFrom)) for node in nodes):
        return False
    if any(
        isinstance(node, ast.Name) and node.id == first and not isinstance(node.ctx, ast.Load)
        for node in nodes
    ):
        return False
    for value in values:
        if isinstance(value, ast.Call) and value.args and isinstance(value.func, ast.Name):
            other = source.module.functions.get(value.func.id)
            if other is None or other in within or getattr(other.node, "decorator_list", []):
                return False
            if not returns_its_first(other, within | {source}):
                return False
            value = value.args[0]
        if not isinstance(value, ast.Name) or value.id != first:
            return False
    return True


def _returned(source: FunctionSource, nodes: list[ast.AST]) -> list[ast.expr | None]:
    body = source.node.body
    if isinstance(body, ast.expr):
        return [body]
    return [node.value for node in nodes if isinstance(node, ast.Return)]


def _own_nodes(source: FunctionSource) -> list[ast.AST]:
    """The nodes of a function's body, without those inside nested functions and classes."""
    body = source.node.body
    pending: list[ast.AST] = [body] if isinstance(body, ast.expr) else [*body]
    found = []
    while pending:
        node = pending.pop()
        found.append(node)
        if not isinstance(node, _SCOPES):
            pending += children(node)
    return found
