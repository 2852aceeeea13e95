"""How other programs' formats name files and count columns."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from ..model import Location
from ..project.paths import relative

if TYPE_CHECKING:
    from .source import Sources


def slashed(filename: str) -> str:
    """A path with forward slashes on every system."""
    return filename.replace(os.sep, "/")


def in_repository(filename: str, variable: str) -> str:
    """A file's path below the repository, whose root a CI system names in that variable of the environment.

    Where it does not, paths start at the working directory. What lies elsewhere keeps its absolute path.
    """
    return relative(filename, os.environ.get(variable) or os.getcwd())


def readable(text: str) -> str:
    """Text that every reader of UTF-8 takes: a byte of a file's name that is no text is \ufffd."""
    if text.isascii():
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def uri(filename: str) -> str:
    """A file as the reference of a URI: relative as it is written, or `file:///…`."""
    from urllib.parse import quote

    path = slashed(filename)
    if not os.path.isabs(filename):
        return quote(os.fsencode(path))  # a colon is quoted too: what stands before it would be a scheme
    return "file://" + quote(os.fsencode(path if path.startswith("/") else f"/{path}"), safe="/:")


def byte_column(location: Location, row: int, column: int, sources: Sources) -> int:
    """A column in bytes of UTF-8, from 1."""
    line = sources.line(location.filename, row)
    return column if line.isascii() else len(line[: column - 1].encode("utf-8", "replace")) + 1
