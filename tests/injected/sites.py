"""Where in a model a write can be put: after which statements of a run which names hold a tensor with a graph."""

from __future__ import annotations

import ast
import itertools
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from types import CodeType, FrameType
from typing import Any, NamedTuple

import torch


class Site(NamedTuple):
    """After the row `after` of a function that ran, `name` holds a tensor with a graph.

    `argument` says that it shares memory with something that the function was given: whether the write is a hazard is
    then up to the caller. `callers` are the files of the package that the call came through.
    """

    code: CodeType
    after: int
    indent: str
    name: str
    argument: bool
    callers: tuple[str, ...]


class _Seen:
    """What a run showed of one function: by row, the names that held such tensors when the row began."""

    def __init__(self, callers: tuple[str, ...]) -> None:
        self.rows: dict[int, dict[str, bool]] = {}
        self.callers = callers


def sites(run: Callable[[], Any], folder: str) -> list[Site]:
    """All sites in the files under `folder` that one call of `run` passes."""
    found: list[Site] = []
    trees: dict[str, ast.Module] = {}
    for code, seen in _watched(run, folder).items():
        tree = trees.get(code.co_filename)
        if tree is None:
            with open(code.co_filename, encoding="utf-8") as file:
                tree = trees[code.co_filename] = ast.parse(file.read())
        function = _function(tree, code)
        if function is not None:
            found += _between(code, function, seen)
    return found


def _between(code: CodeType, function: ast.FunctionDef, seen: _Seen) -> Iterator[Site]:
    """The sites between two statements of which the second was reached."""
    for first, second in _neighbours(function):
        held = next((seen.rows[row] for row in _first_rows(second) if row in seen.rows), {})
        for name, argument in held.items():
            yield Site(code, first.end_lineno or 0, " " * first.col_offset, name, argument, seen.callers)


def _neighbours(function: ast.FunctionDef) -> Iterator[tuple[ast.stmt, ast.stmt]]:
    for node in _own_nodes(function):
        for block in ("body", "orelse", "finalbody"):
            statements = getattr(node, block, None)
            if isinstance(statements, list):
                for first, second in itertools.pairwise(statements):
                    if (first.end_lineno or 0) < second.lineno and not _is_docstring(first):
                        yield first, second


def _own_nodes(function: ast.FunctionDef) -> Iterator[ast.AST]:
    """The function and what stands in it, but for the functions and classes within."""
    pending: list[ast.AST] = [function]
    while pending:
        node = pending.pop()
        yield node
        inner = ast.iter_child_nodes(node)
        pending += [n for n in inner if not isinstance(n, (ast.FunctionDef, ast.ClassDef, ast.Lambda))]


def _is_docstring(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def _first_rows(statement: ast.stmt) -> Iterable[int]:
    """The rows on which a statement may begin to run: those before a block that it holds."""
    body = getattr(statement, "body", None)
    last = body[0].lineno - 1 if isinstance(body, list) and body else statement.end_lineno or statement.lineno
    return range(statement.lineno, max(last, statement.lineno) + 1)


def _function(tree: ast.Module, code: CodeType) -> ast.FunctionDef | None:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.name == code.co_name:
            first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
            if first == code.co_firstlineno:
                return node
    return None


def _watched(run: Callable[[], Any], folder: str) -> dict[CodeType, _Seen]:
    """What one call showed of each function under the folder: of each row, what it held the first time."""
    found: dict[CodeType, _Seen] = {}
    inside = folder + os.sep

    def enter(frame: FrameType, event: str, _: object) -> Callable[..., Any] | None:
        code = frame.f_code
        if not code.co_filename.startswith(inside):
            return None
        seen = found.get(code)
        if seen is None:
            seen = found[code] = _Seen(_files_above(frame, inside))
        known = seen
        given = _storages(frame.f_locals.values())

        def step(frame: FrameType, event: str, _: object) -> Callable[..., Any]:
            if event == "line" and frame.f_lineno not in known.rows:
                known.rows[frame.f_lineno] = {
                    name: value.untyped_storage().data_ptr() in given
                    for name, value in frame.f_locals.items()
                    if name.isidentifier() and _has_graph(value)
                }
            return step

        return step

    before = sys.gettrace()
    sys.settrace(enter)
    try:
        run()
    finally:
        sys.settrace(before)
    return found


def _has_graph(value: object) -> bool:
    return (
        type(value) is torch.Tensor
        and value.layout is torch.strided
        and value.is_floating_point()
        and value.requires_grad
        and not value.is_leaf
    )


def _files_above(frame: FrameType, inside: str) -> tuple[str, ...]:
    """The files of the callers, without the function's own."""
    files: dict[str, None] = {}
    above = frame.f_back
    while above is not None:
        name = above.f_code.co_filename
        if name.startswith(inside) and name != frame.f_code.co_filename:
            files[name] = None
        above = above.f_back
    return tuple(files)


def _storages(values: Iterable[object]) -> set[int]:
    """Where the memory of these tensors begins, those in lists, tuples and dicts included."""
    found: set[int] = set()
    for value in values:
        if isinstance(value, torch.Tensor):
            if value.layout is torch.strided:
                found.add(value.untyped_storage().data_ptr())
        elif isinstance(value, dict):
            found |= _storages(value.values())
        elif isinstance(value, (list, tuple)):
            found |= _storages(value)
    return found
