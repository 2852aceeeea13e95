"""Defines the error for a file that is not Python: what is wrong, and where."""

from __future__ import annotations

#: The byte-order mark of UTF-8, which a file may start with.
BOM = b"\xef\xbb\xbf"


class UnreadableFile(Exception):
    """The text is not a Python file; `row` and `column` (from 1) say where it stops being one."""

    def __init__(self, message: str, row: int, column: int) -> None:
        super().__init__(message)
        self.message, self.row, self.column = message, row, column


def undecodable(message: str, before: bytes) -> UnreadableFile:
    """The error for text that is not in its claimed encoding; `before` is the part that can be decoded."""
    row, column = before.count(b"\n") + 1, len(before) - before.rfind(b"\n")
    return UnreadableFile(f"the file cannot be decoded: {message}", row, column)
