"""Locates the cells of a notebook in its JSON text, so that a fix can change one cell and leave the rest alone."""

from __future__ import annotations

import re
from json import JSONDecodeError, JSONDecoder
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

_BLANKS = re.compile(r"[ \t\r\n]*")
#: The formats (`nbformat`) that are read; in 3, cells are on worksheets and keep code under `input`.
_FORMATS = (b"3", b"4")


class Malformed(Exception):
    """The text is not a notebook; `offset` is the place where that shows."""

    def __init__(self, message: str, offset: int) -> None:
        super().__init__(message)
        self.message, self.offset = message, offset


class Piece:
    """A string of the JSON text: its value, and its position, quotes included."""

    __slots__ = ("end", "start", "text")

    def __init__(self, text: str, start: int, end: int) -> None:
        self.text = text
        self.start = start
        self.end = end


class RawCell:
    """A cell: its kind, its language if named, and its code, as one string or a list of strings (`listed`).

    `start` and `end` delimit its code; without code, `start` is the start of the cell.
    """

    __slots__ = ("end", "kind", "language", "listed", "pieces", "start")

    def __init__(self) -> None:
        self.kind = ""
        self.language = ""
        self.pieces: list[Piece] | None = None
        self.listed = False
        self.start = self.end = 0


class RawNotebook:
    """The cells of a notebook, in order, and its language (empty if it names none)."""

    __slots__ = ("cells", "language")

    def __init__(self, cells: list[RawCell], language: str) -> None:
        self.cells = cells
        self.language = language


def read(text: str) -> RawNotebook:
    """Reads the cells of a notebook. Raises Malformed."""
    reader = _Reader(text)
    try:
        cells, held = reader.notebook()
        if reader.peek():
            raise Malformed("JSON ends before the file does", reader.at)
    except JSONDecodeError as error:
        raise Malformed(f"a notebook is JSON, and this is not: {error.msg}", error.pos) from None
    except (RecursionError, MemoryError):
        raise Malformed("the JSON of this notebook is nested too deeply", reader.at) from None
    version = held.get("nbformat")
    if version is None:
        raise Malformed("this is JSON, but no Jupyter notebook: it says no `nbformat`", 0)
    if version not in _FORMATS:
        said = version.decode()[:20] if isinstance(version, bytes) else "that is no number"
        raise Malformed(f"a notebook of a format {said}; those of 3 and 4 can be read", 0)
    if cells is None:
        raise Malformed("this notebook has no list of cells", 0)
    for number, cell in enumerate(cells, 1):
        if not cell.kind:
            raise Malformed(f"cell {number} of this notebook does not say of which kind it is", cell.start)
        if cell.kind == "code" and cell.pieces is None:
            raise Malformed(f"cell {number} of this notebook has no source", cell.start)
    return RawNotebook(cells, _language(held.get("metadata")))


def _language(metadata: Any) -> str:
    for key, name in (("language_info", "name"), ("kernelspec", "language")):
        held = metadata.get(key) if isinstance(metadata, dict) else None
        found = held.get(name) if isinstance(held, dict) else None
        if isinstance(found, str):
            return found
    return ""


class _Reader:
    """Walks the JSON down to the cells; Python's own decoder skips everything else."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        # Numbers stay text: their values are not needed, and huge ones are slow to convert.
        self._decode = JSONDecoder(parse_int=str.encode, parse_float=str.encode).raw_decode

    def notebook(self) -> tuple[list[RawCell] | None, dict[str, Any]]:
        """The cells, and the values of `metadata` and `nbformat`."""
        cells: list[RawCell] | None = None
        held: dict[str, Any] = {}
        if self.peek() != "{":
            self.value()
            raise Malformed("this is JSON, but no Jupyter notebook", 0)
        for key in self.members():
            if key == "cells":
                cells = self.cells()
            elif key == "worksheets":
                cells = self.worksheets()
            else:
                value = self.value()
                if key in ("metadata", "nbformat"):
                    held[key] = value
        return cells, held

    def worksheets(self) -> list[RawCell]:
        self._need("[", "the worksheets of this notebook are no list")
        cells: list[RawCell] = []
        for _ in self.items():
            self._need("{", "a worksheet of this notebook is no object")
            for key in self.members():
                if key == "cells":
                    cells += self.cells()
                else:
                    self.value()
        return cells

    def cells(self) -> list[RawCell]:
        self._need("[", "the cells of this notebook are no list")
        return [self.cell(number) for number, _ in enumerate(self.items(), 1)]

    def cell(self, number: int) -> RawCell:
        self._need("{", f"cell {number} of this notebook is no object")
        cell = RawCell()
        cell.start = self.at
        for key in self.members():
            if key in ("source", "input"):
                self.source(cell)
                continue
            value = self.value()
            if key == "cell_type" and isinstance(value, str):
                cell.kind = value
            elif key == "language" and isinstance(value, str):
                cell.language = value
            elif key == "metadata" and isinstance(value, dict):
                vscode = value.get("vscode")
                language = vscode.get("languageId") if isinstance(vscode, dict) else None
                if isinstance(language, str):
                    cell.language = language
        return cell

    def source(self, cell: RawCell) -> None:
        cell.start = self.at
        cell.listed = self.peek() == "["
        pieces = [self.piece() for _ in self.items()] if cell.listed else [self.piece()]
        cell.pieces = None if None in pieces else [piece for piece in pieces if piece is not None]
        cell.end = self.at

    def piece(self) -> Piece | None:
        self.peek()
        start = self.at
        text = self.value()
        return Piece(text, start, self.at) if isinstance(text, str) else None

    def members(self) -> Iterator[str]:
        """Yields the keys of the object that begins here; the caller must read each value before the next key."""
        self.at += 1
        if self.peek() == "}":
            self.at += 1
            return
        while True:
            if self.peek() != '"':
                raise JSONDecodeError("Expecting property name enclosed in double quotes", self.text, self.at)
            key = self.value()
            if self.peek() != ":":
                raise JSONDecodeError("Expecting ':' delimiter", self.text, self.at)
            self.at += 1
            self.peek()
            yield key
            if self._ends("}"):
                return

    def items(self) -> Iterator[None]:
        """Like `members`, for the items of a list."""
        self.at += 1
        if self.peek() == "]":
            self.at += 1
            return
        while True:
            self.peek()
            yield
            if self._ends("]"):
                return

    def value(self) -> Any:
        self.peek()
        value, self.at = self._decode(self.text, self.at)
        return value

    def peek(self) -> str:
        """The next character that is not white space; empty at the end."""
        found = _BLANKS.match(self.text, self.at)
        assert found is not None
        self.at = found.end()
        return self.text[self.at : self.at + 1]

    def _ends(self, bracket: str) -> bool:
        found = self.peek()
        if found not in (",", bracket) or not found:
            raise JSONDecodeError("Expecting ',' delimiter", self.text, self.at)
        self.at += 1
        return found == bracket

    def _need(self, bracket: str, otherwise: str) -> None:
        if self.peek() != bracket:
            start = self.at
            self.value()  # reports invalid JSON first
            raise Malformed(otherwise, start)
