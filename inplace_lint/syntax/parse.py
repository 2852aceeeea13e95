"""Parses source text to Python's syntax tree, or reports the place where the text stops being Python."""

from __future__ import annotations

import ast

from .nodes import DULL, inner_bodies, start_of
from .unreadable import BOM, UnreadableFile, undecodable


def parse(filename: str, source: bytes) -> tuple[ast.Module, bytes]:
    """Python's syntax tree, and the text in UTF-8 without a byte-order mark, in whose bytes the tree counts columns.

    Raises UnreadableFile with the place where parsing fails.
    """
    if source[:2] in (b"\xff\xfe", b"\xfe\xff"):
        raise UnreadableFile("the file is not UTF-8: it starts with the byte-order mark of UTF-16", 1, 1)
    if b"\0" in source:
        before = source[: source.index(b"\0")]
        row = before.count(b"\n") + 1
        raise UnreadableFile("the file contains a null byte", row, len(before) - before.rfind(b"\n"))
    text = source.removeprefix(BOM)
    if text.lstrip()[:1] in (b"{", b"["):
        from .data import refuse

        refuse(filename, text)
    head = text[: text.find(b"\n", text.find(b"\n") + 1)]
    if text is source and b"coding" in head and b"#" in head:
        from .encoding import utf8

        text = utf8(source)
        return syntax_tree(filename, source if text == source else text.decode("utf-8")), text
    return syntax_tree(filename, source), text


def without_comments(source: bytes) -> bytes:
    """The text with comments blanked, so that no word in them affects the analysis.

    A `#` after an odd number of quotes in its row counts as part of a string, and stays. Inside a multi-line string it
    may be blanked, which is harmless: strings are read from the tree.
    """
    place = source.find(b"#")
    if place < 0:
        return source
    parts: list[bytes] = []
    done = 0
    while place >= 0:
        start, end = source.rfind(b"\n", 0, place) + 1, source.find(b"\n", place)
        end = len(source) if end < 0 else end
        if source.count(b"'", start, place) % 2 or source.count(b'"', start, place) % 2:
            place = source.find(b"#", place + 1)
            continue
        parts += (source[done:place], b" " * (end - place))
        done = end
        place = source.find(b"#", end)
    return b"".join((*parts, source[done:]))


def without_docstrings(source: bytes, tree: ast.Module, starts: list[int]) -> bytes:
    """The text with string statements (docstrings) blanked; `starts` are the offsets of its rows."""
    parts: list[bytes] = []
    done = 0
    for statement in _docstrings(tree):
        first = starts[statement.lineno - 1] + statement.col_offset
        last = starts[(statement.end_lineno or 0) - 1] + (statement.end_col_offset or 0)
        parts += (source[done:first], source[first:last].translate(_BLANK))
        done = last
    return b"".join((*parts, source[done:])) if parts else source


_BLANK = bytes(byte if byte in b"\r\n" else 32 for byte in range(256))


def _docstrings(tree: ast.Module) -> list[ast.stmt]:
    """The statements that consist of a string, in order."""
    found: list[ast.stmt] = []
    pending: list[list[ast.stmt]] = [tree.body]
    while pending:
        for statement in pending.pop():
            if isinstance(statement, ast.Expr):
                value = statement.value
                if isinstance(value, ast.Constant) and isinstance(value.value, str):
                    found.append(statement)
            elif type(statement) not in DULL:
                pending += inner_bodies(statement)
    return sorted(found, key=start_of)


def syntax_tree(filename: str, source: bytes | str) -> ast.Module:
    """Python's syntax tree of a text, taken as it is. Raises UnreadableFile."""
    import warnings

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = compile(source, filename, "exec", ast.PyCF_ONLY_AST, dont_inherit=True)
    except SyntaxError as error:
        message = error.msg
        if _is_of_encoding(message):
            raise undecodable(message, _stray(source)) from None
        if not isinstance(error, IndentationError):  # indentation is the same in every grammar
            from .newer import advice

            message += advice(error)
        row, column = error.lineno or 1, error.offset or 1
        raise UnreadableFile(f"syntax error: {message}", max(row, 1), max(column, 1)) from None
    except ValueError as error:
        raise undecodable(str(error), _stray(source)) from None
    except (RecursionError, MemoryError):
        raise UnreadableFile("the file is nested too deeply for Python's parser", 1, 1) from None
    assert isinstance(tree, ast.Module)
    return tree


def _is_of_encoding(message: str) -> bool:
    """Whether the error is one of the file's encoding; that of a literal's escapes, "C:\\Users", is told alike."""
    words = ("codec can't decode", "unknown encoding", "encoding problem")
    return "'unicodeescape' codec" not in message and any(one in message for one in words)


def _stray(source: bytes | str) -> bytes:
    """The bytes before the first one that is not UTF-8."""
    if isinstance(source, bytes):
        try:
            source.decode("utf-8")
        except UnicodeDecodeError as error:
            return source[: error.start]
    return b""
