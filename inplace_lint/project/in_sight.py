"""Checks the configuration's `models` against the source: file, function and named parameters must exist."""

from __future__ import annotations

import ast
import os
from typing import TYPE_CHECKING

from .declarations import against
from .modules import Project
from .reading import read

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .declarations import Declaration
    from .settings import Settings

_FORWARDS = ("forward", "__call__")


def problem(settings: Settings) -> tuple[int, str] | None:
    """The line of the first declaration that does not fit its function's source, and the problem; None if all fit."""
    project = Project(settings.root, (*settings.src, settings.root, os.path.join(settings.root, "src")))
    for key, said in settings.models:
        found = _problem(project, key, said)
        if found:
            return said.place[1], f'`models` "{key}": {found}'
    return None


def _problem(project: Project, key: str, said: Declaration) -> str | None:
    module, _, name = key.partition(":")
    filename = project.find(module)
    if filename is None:
        if said.takes is None and said.named():
            return (
                f"`{module}` is no file of this project: say its parameters in order with `takes(…)`, "
                "or name the folder of its package in `src`"
            )
        return None
    try:
        body = ast.parse(read(filename)).body
    except (OSError, SyntaxError, ValueError, RecursionError):
        return None  # the check of that file reports it
    found = _defined(body, name.split("."))
    if isinstance(found, str):
        return f"{filename} {found}"
    arguments = found.args
    taken = [
        *arguments.posonlyargs,
        *arguments.args,
        arguments.vararg,
        *arguments.kwonlyargs,
        arguments.kwarg,
    ]
    return against(said, found.name, tuple(one.arg for one in taken if one is not None))


def _defined(body: list[ast.stmt], path: list[str]) -> ast.FunctionDef | ast.AsyncFunctionDef | str:
    """The function at this path; for a class, its `forward` or `__call__`; or what is wrong, as a string."""
    name, *rest = path
    for statement in _flat(body):
        if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef)) and statement.name == name:
            return statement if not rest else f"has no class `{name}`"
        if isinstance(statement, ast.ClassDef) and statement.name == name:
            if rest:
                return _defined(statement.body, rest)
            for forward in _FORWARDS:
                found = _defined(statement.body, [forward])
                if not isinstance(found, str):
                    return found
            return f"has a class `{name}` that defines neither `forward` nor `__call__`: name its method"
    return f"defines no function or class `{name}`"


def _flat(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements of a body in order, including those in its `if` and `try` blocks."""
    pending = body[::-1]
    while pending:
        statement = pending.pop()
        yield statement
        if isinstance(statement, (ast.If, ast.Try)):
            blocks = [statement.body, *(handler.body for handler in getattr(statement, "handlers", ()))]
            blocks += [statement.orelse, getattr(statement, "finalbody", [])]
            pending += [one for block in reversed(blocks) for one in reversed(block)]
