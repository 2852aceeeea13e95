"""Imports of a file that a fix needs, or leaves without a reader."""

from __future__ import annotations

import io
import os
import re
import tokenize
from collections.abc import Sequence

from ..model import Edit, Location, Refused
from ..syntax.module import Module
from .statements import without_import
from .text import apply, line_end, line_starts, location

TYPE_CHECKING = False
if TYPE_CHECKING:
    import ast
else:
    import _ast as ast


def added(source: str, module: Module, statement: str) -> Edit:
    """Put an import behind the last of those at the top of the file."""
    row = 1
    for one in module.tree.body:
        if isinstance(one, (ast.Import, ast.ImportFrom)):
            row = (one.end_lineno or one.lineno) + 1
        elif row > 1:
            break
        elif isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant):
            row = (one.end_lineno or one.lineno) + 1
    if row == 1:  # behind a `#!` line and what says the encoding
        while row <= len(module.lines) and module.lines[row - 1].startswith(b"#"):
            row += 1
    end = line_end(source)
    if row > len(line_starts(source)):
        raise Refused("the file ends with its imports")
    return Edit(statement + end, Location(module.filename, row, 1, row, 1))


def unused(source: str, module: Module, names: set[str], edits: Sequence[Edit]) -> list[Edit]:
    """Take out the imports of those names that nothing reads any more once the edits are made.

    Names that others may import from the file stay: in `__init__.py`, in `__all__`, under a condition, where the line
    says so (`noqa`) or the name is bound to itself (`import x as x`).
    """
    if os.path.basename(module.filename) == "__init__.py":
        return []
    found: dict[ast.stmt, list[str]] = {}
    left: set[str] | None = None
    for statement in module.tree.body:
        if not isinstance(statement, (ast.Import, ast.ImportFrom)) or not _is_plain(module, statement):
            continue
        for alias in statement.names:
            name = alias.asname or alias.name.partition(".")[0]
            if name not in names or alias.asname == alias.name or name in module.multiple:
                continue
            if left is None:
                left = _read(apply(source, edits), {n for n in names if n in module.imports})
            if name not in left:
                found.setdefault(statement, []).append(name)
    return [edit for statement, gone in found.items() for edit in _without(source, module, statement, gone)]


def _is_plain(module: Module, statement: ast.stmt) -> bool:
    """Whether a statement has its lines to itself, and no comment that speaks of it."""
    if getattr(statement, "module", None) == "__future__" or statement.col_offset:
        return False
    end = statement.end_lineno or statement.lineno
    lines = module.lines[statement.lineno - 1 : end]
    return not lines[-1][statement.end_col_offset or 0 :].strip() and not any(b"#" in line for line in lines)


def _read(text: str, names: set[str]) -> set[str]:
    """Those names that a text reads or speaks of in a string, outside of its imports at the top level."""
    found: set[str] = set()
    importing = False
    depth = 0
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.NAME:
                if depth == 0 and token.start[1] == 0 and token.string in ("import", "from"):
                    importing = True
                if not importing and token.string in names:
                    found.add(token.string)
            elif token.type == tokenize.NEWLINE:
                importing = False
            elif token.type == tokenize.OP and token.string in "([{":
                depth += 1
            elif token.type == tokenize.OP and token.string in ")]}":
                depth -= 1
            elif token.type not in (tokenize.COMMENT, tokenize.OP, tokenize.NUMBER, tokenize.NL):
                found.update(name for name in names if re.search(rf"\b{re.escape(name)}\b", token.string))
    except (tokenize.TokenError, IndentationError):
        return set(names)
    return found


def _without(source: str, module: Module, statement: ast.stmt, names: list[str]) -> list[Edit]:
    starts = line_starts(source)
    first, last = statement.lineno, statement.end_lineno or statement.lineno
    start = starts[first - 1]
    end = starts[last] if last < len(starts) else len(source)
    piece: str | None = source[start:end].rstrip("\r\n")
    stop = start + len(piece or "")
    try:
        for name in names:
            piece = None if piece is None else without_import(piece, name)
    except Refused:
        return []
    place = location(module.filename, starts, start, end if piece is None else stop)
    return [Edit(piece or "", place)]
