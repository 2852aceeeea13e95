"""Notebooks on the command line: a place in one, and the verbs that take none."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..syntax.unreadable import UnreadableFile
from .options import UsageError, whole

if TYPE_CHECKING:
    from collections.abc import Callable


def need_file(verb: str, path: str) -> None:
    """Raises UsageError for a notebook, where a verb takes files of Python alone."""
    if path.endswith(".ipynb"):
        raise UsageError(
            f"{verb} takes Python files, and {path} is a notebook: "
            f"`jupyter nbconvert --to script` makes a file of it"
        )


def in_cell(path: str) -> tuple[str, int]:
    """A file and the number of a cell in it, of `nb.ipynb:cell 3`; 0 for a file of Python. Raises UsageError."""
    filename, named, number = path.rpartition(":cell ")
    if named and filename.endswith(".ipynb") and whole(number):
        return filename, int(number)
    if path.endswith(".ipynb"):
        raise UsageError(f"{path} is a notebook: write a place in it as {path}:cell 3:12")
    return path, 0


def explained(
    filename: str, source: bytes, cell: int, line: int, told: Callable[[str, bytes, int], str]
) -> str:
    """What is `told` of a row of a program, for a line of a cell. Raises UsageError."""
    from ..report.notebooks import sentence_in_cells
    from ..syntax.notebook import Notebook

    try:
        book = Notebook(source)
    except UnreadableFile as error:
        raise UsageError(f"{filename}:{error.row}:{error.column}: {error.message}") from error
    row = book.row(cell, line)
    if row is None:
        raise UsageError(f"{filename} has no line {line} in a cell {cell} of Python")
    head, _, rest = told(filename, book.source, row).partition("\n")
    head = head.replace(f":{row}", f":cell {cell}:{line}", 1)
    return f"{book.masks.restored(head)}\n{sentence_in_cells(rest, book)}"
