"""Source text -> Python's syntax tree, or the place where the text stops being Python."""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    import ast
else:
    import _ast as ast

_ONLY_AST = 0x400  # ast.PyCF_ONLY_AST


class UnreadableFile(Exception):
    """The text is not a Python file; `row` and `column` (from 1) say where it stops being one."""

    def __init__(self, message: str, row: int, column: int) -> None:
        super().__init__(message)
        self.message, self.row, self.column = message, row, column


def parse(filename: str, source: bytes) -> ast.Module:
    """Python's syntax tree. Raises UnreadableFile with the place where reading stops."""
    if source[:2] in (b"\xff\xfe", b"\xfe\xff"):
        raise UnreadableFile("the file is not UTF-8: it starts with the byte-order mark of UTF-16", 1, 1)
    if b"\0" in source:
        before = source[: source.index(b"\0")]
        row = before.count(b"\n") + 1
        raise UnreadableFile("the file contains a null byte", row, len(before) - before.rfind(b"\n"))
    import warnings

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = compile(source, filename, "exec", _ONLY_AST, dont_inherit=True)
    except SyntaxError as error:
        message = error.msg
        if "codec can't decode" in message or "unknown encoding" in message or "encoding problem" in message:
            row, column = _undecodable(source)
            raise UnreadableFile(f"the file cannot be decoded: {message}", row, column) from None
        if not isinstance(error, IndentationError):  # no grammar changes what indentation means
            message += _newer_python()
        raise UnreadableFile(f"syntax error: {message}", error.lineno or 1, error.offset or 1) from None
    except (ValueError, UnicodeDecodeError) as error:
        row, column = _undecodable(source)
        raise UnreadableFile(f"the file cannot be decoded: {error}", row, column) from None
    except (RecursionError, MemoryError):
        raise UnreadableFile("the file is nested too deeply for Python's parser", 1, 1) from None
    assert isinstance(tree, ast.Module)
    return tree


#: The newest Python whose grammar is known here.
_NEWEST = (3, 14)


def _newer_python() -> str:
    """What to do where the grammar may be newer than the interpreter that reads it."""
    running = sys.version_info[:2]
    if running >= _NEWEST:
        return ""
    return (
        f" (read as Python {running[0]}.{running[1]}: "
        "if the file is written for a newer Python, run inplace-lint on that Python)"
    )


def _undecodable(source: bytes) -> tuple[int, int]:
    try:
        source.decode("utf-8")
    except UnicodeDecodeError as error:
        before = source[: error.start]
        return before.count(b"\n") + 1, len(before) - before.rfind(b"\n")
    return 1, 1
