"""A file as the program that is analysed: itself, or what its cells hold; and how a change of it goes back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..model import Diagnostic, Location
from ..syntax.parse import UnreadableFile
from .options import UsageError, whole

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..syntax.notebook import Notebook, Script


class Reading:
    """A Python file. `source` is the program, `faults` are places in it that were not read."""

    #: why what it holds cannot be run as a file, for who runs files
    not_run = ""
    faults: tuple[UnreadableFile, ...] = ()

    def __init__(self, original: bytes, source: bytes) -> None:
        self.original = original
        self.source = source

    def written(self, source: bytes) -> bytes:
        """The file's bytes with what became of its program. Raises Refused."""
        return source

    def diff(self, filename: str, source: bytes) -> str:
        from ..fixes.files import diff

        return diff(filename, self.original, self.written(source))

    def check(self, source: bytes) -> None:
        """Raises Refused where a changed program cannot go back into the file."""


class _Cells(Reading):
    """A notebook."""

    not_run = "a fix of a notebook cannot be proved by a run: notebooks are not run"

    def __init__(self, book: Notebook) -> None:
        super().__init__(book.original, book.source)
        self.book = book
        self.faults = tuple(book.faults)

    def check(self, source: bytes) -> None:
        self.book.changed(source)

    def written(self, source: bytes) -> bytes:
        from ..fixes.cells import written

        return written(self.book, source)

    def diff(self, filename: str, source: bytes) -> str:
        from ..fixes.cells import shown

        return shown(filename, self.book, source)


class _Lines(Reading):
    """A script of cells, with lines that are IPython's."""

    not_run = "a fix of a file with lines of IPython's cannot be proved by a run"

    def __init__(self, script: Script) -> None:
        super().__init__(script.original, script.source)
        self.script = script

    def check(self, source: bytes) -> None:
        self.script.restored(source)

    def written(self, source: bytes) -> bytes:
        return self.script.restored(source)


def reading(filename: str, source: bytes) -> Reading:
    """What is analysed of a file. Raises UnreadableFile for a notebook that cannot be read."""
    if filename.endswith(".ipynb"):
        from ..syntax.notebook import Notebook

        return _Cells(Notebook(source))
    return script(source) or Reading(source, source)


def program(filename: str, source: bytes) -> bytes:
    """What is analysed of a file; of a notebook that cannot be read nothing."""
    try:
        return reading(filename, source).source
    except UnreadableFile:
        return b""


def script(source: bytes) -> Reading | None:
    """What is analysed of a file that is no Python as it stands, but says that it is made of cells."""
    if b"# " not in source:
        return None
    from ..syntax.notebook import Script, is_script

    if not is_script(source):
        return None
    try:
        return _Lines(Script(source))
    except UnreadableFile:
        return None


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


def unreadable(filename: str, error: UnreadableFile) -> Diagnostic:
    place = Location(filename, error.row, error.column, error.row, error.column + 1)
    return Diagnostic("IPL000", "unreadable-file", "error", "certain", error.message, place)
