"""Adds the imports that a fix needs, and removes the names that it leaves unused."""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Sequence

from ..model import Edit, Location, Refused
from ..syntax.module import Module
from ..syntax.nodes import end_of, start_of, walk
from .text import line_end, line_starts, location


def row(module: Module) -> int:
    """The row for a new import: behind the first block of imports at the top of the file, or behind its docstring."""
    row = 1
    for one in module.tree.body:
        if isinstance(one, (ast.Import, ast.ImportFrom)):
            row = (one.end_lineno or one.lineno) + 1
        elif row > 1:
            break
        elif isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant):
            row = (one.end_lineno or one.lineno) + 1
    if row == 1:  # behind a `#!` line and the encoding line
        while row <= len(module.lines) and module.lines[row - 1].startswith(b"#"):
            row += 1
    return row


def added(source: str, filename: str, statement: str, row: int) -> Edit:
    """The edit that puts an import on a row of its own."""
    if row > len(line_starts(source)):
        raise Refused("the file ends with its imports")
    return Edit(statement + line_end(source), Location(filename, row, 1, row, 1))


def unread(
    module: Module, gone: Sequence[ast.AST], instead: str
) -> tuple[tuple[int, int, tuple[str, ...]], ...]:
    """The rows of import statements, with the names that nothing reads once these nodes are `gone`.

    `instead` is the code that replaces the nodes. Names that other files may import from this one stay: in
    `__init__.py`, in `__all__`, under a condition, on a line with a comment (`noqa`), or bound to themselves
    (`import x as x`).
    """
    served = {n.id for one in gone for n in walk(one) if isinstance(n, ast.Name)} & module.imports.keys()
    served -= set(re.findall(r"\w+", instead))
    if not served or os.path.basename(module.filename) == "__init__.py":
        return ()
    found: dict[ast.stmt, list[str]] = {}
    left: set[str] | None = None
    for statement in module.tree.body:
        if not isinstance(statement, (ast.Import, ast.ImportFrom)) or not _is_plain(module, statement):
            continue
        for alias in statement.names:
            name = alias.asname or alias.name.partition(".")[0]
            if name not in served or alias.asname == alias.name or name in module.multiple:
                continue
            if left is None:
                left = _left(module, gone, served)
            if name not in left:
                found.setdefault(statement, []).append(name)
    return tuple(
        (statement.lineno, statement.end_lineno or statement.lineno, tuple(names))
        for statement, names in found.items()
    )


def _is_plain(module: Module, statement: ast.stmt) -> bool:
    """Whether an import stands at the top level, alone on its lines and without a comment."""
    if getattr(statement, "module", None) == "__future__" or statement.col_offset:
        return False
    end = statement.end_lineno or statement.lineno
    lines = module.lines[statement.lineno - 1 : end]
    return not lines[-1][statement.end_col_offset or 0 :].strip() and not any(b"#" in line for line in lines)


def _left(module: Module, gone: Sequence[ast.AST], names: set[str]) -> set[str]:
    """The names that the file mentions outside of these nodes and of its top-level imports."""
    text = bytearray(module.commented)
    imports = [one for one in module.tree.body if isinstance(one, (ast.Import, ast.ImportFrom))]
    for node in (*gone, *imports):
        start, end = (module.row_starts[row - 1] + column for row, column in (start_of(node), end_of(node)))
        text[start:end] = re.sub(rb"[^\n]", b" ", text[start:end])
    try:
        readable = text.decode("utf-8")
    except UnicodeDecodeError:  # the columns of a row cannot be mapped to bytes
        return set(names)
    return {name for name in names if _speaks_of(readable, name)}


def _speaks_of(text: str, name: str) -> bool:
    pattern = re.compile(rf"\b{re.escape(name)}\b")
    commented = False
    for match in pattern.finditer(text):
        if "#" not in text[text.rfind("\n", 0, match.start()) + 1 : match.start()]:
            return True
        commented = True
    if not commented:
        return False
    import io
    import tokenize

    try:  # behind a `#`, which may begin a comment or be part of a string
        return any(
            token.type != tokenize.COMMENT and pattern.search(token.string)
            for token in tokenize.generate_tokens(io.StringIO(text).readline)
        )
    except (tokenize.TokenError, SyntaxError):
        return True


def without(source: str, filename: str, first: int, last: int, names: Sequence[str]) -> list[Edit]:
    """The edits that remove names from the import statement on these rows; none if LibCST cannot read it."""
    starts = line_starts(source)
    if last > len(starts):
        raise Refused("the text is not the one that was checked")
    start = starts[first - 1]
    end = starts[last] if last < len(starts) else len(source)
    from .statements import without_import

    piece: str | None = source[start:end].rstrip("\r\n")
    stop = start + len(piece or "")
    try:
        for name in names:
            piece = None if piece is None else without_import(piece, name)
    except Refused:
        return []
    place = location(filename, starts, start, end if piece is None else stop)
    return [Edit(piece or "", place)]
