"""Finds assignments of a function that become dead once a fix drops some of its expressions."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ..syntax.nodes import inner_bodies
from .tree import contains, has_call, has_walrus, is_pure, nodes_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..syntax.module import FunctionSource


def dead(function: FunctionSource, dropped: Sequence[ast.AST], kept: set[str]) -> list[ast.stmt]:
    """Assignments whose name is read only in `dropped` or other dead assignments; new code reads the `kept` names."""
    nodes = nodes_of(function.node)
    loads = [n for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)]
    stores = [n.id for n in nodes if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)]
    gone: list[ast.stmt] = []
    blocks = list(_blocks(getattr(function.node, "body", [])))
    for _ in range(20):
        before = len(gone)
        for block in blocks:
            for statement in block:
                name = _assigned(statement)
                if name is None or statement in gone or name in kept or name in function.declared:
                    continue
                readers = [n for n in loads if n.id == name]
                left = [one for one in block if one not in gone]
                if (
                    readers
                    and stores.count(name) == 1
                    and len(left) > 1
                    and all(any(contains(one, n) for one in (*dropped, *gone)) for n in readers)
                    and has_its_lines(function, statement)
                ):
                    gone.append(statement)
        if len(gone) == before:
            return gone
    return gone


def has_its_lines(function: FunctionSource, statement: ast.stmt) -> bool:
    """Whether a statement has its lines for itself (a trailing comment is allowed), so that they can be deleted."""
    lines = function.module.lines
    rest = lines[(statement.end_lineno or 0) - 1][statement.end_col_offset or 0 :].strip()
    return not lines[statement.lineno - 1][: statement.col_offset].strip() and (
        not rest or rest.startswith(b"#")
    )


def _assigned(statement: ast.stmt) -> str | None:
    """The single name that an assignment without side effects binds; None for any other statement."""
    if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
        return None
    target, value = statement.targets[0], statement.value
    if not isinstance(target, ast.Name) or has_walrus(value) or (has_call(value) and not is_pure(value)):
        return None
    return target.id


def _blocks(body: list[ast.stmt]) -> list[list[ast.stmt]]:
    found = [body]
    for statement in body:
        if not isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            for inner in inner_bodies(statement):
                found += _blocks(inner)
    return found
