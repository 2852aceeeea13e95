"""Extracts the Python program from a file or from a notebook's cells, and puts a changed program back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..model import Diagnostic, Location
from ..syntax.unreadable import UnreadableFile

if TYPE_CHECKING:
    from ..syntax.notebook import Notebook, Script


class Reading:
    """A Python file. `source` is the program to analyse, `faults` are the places in it that could not be read."""

    #: why the program cannot be run as a file (`confirm`); empty if it can
    not_run = ""
    faults: tuple[UnreadableFile, ...] = ()

    def __init__(self, original: bytes, source: bytes) -> None:
        self.original = original
        self.source = source

    def written(self, source: bytes) -> bytes:
        """The file's bytes with a changed program. Raises Refused if it cannot be put back."""
        return source

    def diff(self, filename: str, source: bytes) -> str:
        from ..fixes.files import diff

        return diff(filename, self.original, self.written(source))

    def check(self, source: bytes) -> None:
        """Raises Refused if a changed program cannot be put back into the file."""


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
    """A script of `# %%` cells that holds lines in IPython's syntax."""

    not_run = "a fix of a file with lines of IPython's cannot be proved by a run"

    def __init__(self, script: Script) -> None:
        super().__init__(script.original, script.source)
        self.script = script

    def check(self, source: bytes) -> None:
        self.script.restored(source)

    def written(self, source: bytes) -> bytes:
        return self.script.restored(source)


def reading(filename: str, source: bytes) -> Reading:
    """The program in a file. Raises UnreadableFile for a notebook that cannot be read."""
    if filename.endswith(".ipynb"):
        from ..syntax.notebook import Notebook

        return _Cells(Notebook(source))
    return script(source) or Reading(source, source)


def program(filename: str, source: bytes) -> bytes:
    """The program's source; empty for a notebook that cannot be read."""
    try:
        return reading(filename, source).source
    except UnreadableFile:
        return b""


def script(source: bytes) -> Reading | None:
    """The program in a script of cells that is not valid Python as it stands; None for other files."""
    if b"# " not in source:
        return None
    from ..syntax.notebook import Script, is_script

    if not is_script(source):
        return None
    try:
        return _Lines(Script(source))
    except UnreadableFile:
        return None


def unreadable(filename: str, error: UnreadableFile) -> Diagnostic:
    place = Location(filename, error.row, error.column, error.row, error.column + 1)
    return Diagnostic("IPL000", "unreadable-file", "error", "certain", error.message, place)
