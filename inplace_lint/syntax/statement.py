"""Finds the statement on a row of a file, and the function around it."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from .nodes import inner_bodies

if TYPE_CHECKING:
    from .module import Module


class Statement:
    """The statement on a row: its rows `first` to `last`, and the innermost function around it.

    `nothing` is a sentence that says why the row computes nothing, or empty.
    """

    __slots__ = ("first", "function", "last", "nothing")

    def __init__(self, module: Module, line: int) -> None:
        self.first = self.last = line
        self.nothing = ""
        found: list[ast.stmt] = []
        _containing(module.tree.body, line, found)
        self.function = next((f for f in reversed(module.functions_in_order()) if f.node in found), None)
        innermost = found[-1] if found else None
        if innermost is None:
            self.nothing = "No code stands on this line."
        elif isinstance(innermost, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)) and _in_header(
            innermost, line
        ):
            what = "class" if isinstance(innermost, ast.ClassDef) else "function"
            self.nothing = f"This line begins the {what} `{innermost.name}`: ask about a line of its body."
        elif isinstance(innermost, ast.ClassDef):
            self.nothing = (
                "This line stands in the body of a class, which is read when its attributes are asked for."
            )
        elif isinstance(innermost, (ast.Import, ast.ImportFrom)):
            self.nothing = "An import holds no tensor."
        elif isinstance(innermost, (ast.Pass, ast.Global, ast.Nonlocal, ast.Break, ast.Continue)) or (
            isinstance(innermost, ast.Expr) and isinstance(innermost.value, ast.Constant)
        ):
            self.nothing = "Nothing is computed on this line: no tensor is read, saved or written here."
        elif not inner_bodies(innermost):
            self.first, self.last = innermost.lineno, innermost.end_lineno or line
        elif _in_header(innermost, line):
            self.first = innermost.lineno
            self.last = max(self.first, _body_row(innermost) - 1)
        else:
            self.nothing = "Nothing is computed on this line: it only divides a statement."


def _containing(body: list[ast.stmt], line: int, found: list[ast.stmt]) -> None:
    """The statements around a line, the outermost first."""
    for statement in body:
        first = min([statement.lineno, *(d.lineno for d in getattr(statement, "decorator_list", ()))])
        if first <= line <= (statement.end_lineno or 0):
            found.append(statement)
            for inner in inner_bodies(statement):
                _containing(inner, line, found)


def _body_row(statement: ast.stmt) -> int:
    return min(s.lineno for body in inner_bodies(statement) for s in body)


def _in_header(statement: ast.stmt, line: int) -> bool:
    return line < _body_row(statement) or line == statement.lineno


#: Attributes that do not depend on a tensor's values.
_FORM = frozenset("shape dtype device ndim requires_grad size dim numel".split())


def attributes_read(node: ast.AST) -> set[str]:
    """The attributes whose values a piece of code reads, not counting reads of only `.shape`, `.dtype` and the like."""
    found: set[str] = set()
    pending: list[ast.AST] = [node]
    while pending:
        part = pending.pop()
        if isinstance(part, ast.Attribute):
            if part.attr in _FORM and isinstance(part.value, ast.Attribute):
                part = part.value
            elif isinstance(part.ctx, ast.Load):
                found.add(part.attr)
        for field in part._fields:
            child = getattr(part, field)
            pending += [c for c in child if isinstance(c, ast.AST)] if isinstance(child, list) else []
            if isinstance(child, ast.AST):
                pending.append(child)
    return found
