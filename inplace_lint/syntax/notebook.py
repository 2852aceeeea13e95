"""Presents a Jupyter notebook as one Python program, and maps rows between program, cells and JSON file."""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import TYPE_CHECKING

from ..model import Location, Refused
from . import json_cells
from .magics import Masks, cell_as_python, free_word, is_python, mask
from .unreadable import BOM, UnreadableFile, undecodable

if TYPE_CHECKING:
    from .json_cells import RawCell

#: File name suffix of notebooks.
SUFFIX = ".ipynb"
#: Names of the language for Python; empty if the notebook or cell names none.
_PYTHON = ("", "python", "python3", "ipython")
_LINE_END = re.compile(r"\r\n|\r|\n")
_ESCAPE = re.compile(
    r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\.|[^\\]"
)
#: Marks of a Python script that is made of cells.
_SCRIPT = re.compile(
    rb"^#[ \t]?%%|\A# Databricks notebook source|\A(?:#![^\n]*\n)?# ---\n#[ \t]+jupyter:", re.MULTILINE
)


class Cell:
    """A code cell of the program: its number in the notebook (from 1), and its first row in the program.

    `text` is its code, `program` its masked code in the program, `head` the row before it.
    """

    __slots__ = ("first", "head", "number", "pieces", "program", "raw", "text")

    def __init__(self, number: int, raw: RawCell, first: int, head: str, program: str) -> None:
        self.number = number
        self.raw = raw
        self.pieces = raw.pieces or []
        self.text = "".join(piece.text for piece in self.pieces)
        self.first = first
        self.head = head
        self.program = program

    @property
    def rows(self) -> int:
        return len(_LINE_END.findall(self.text + "\n"))


class Notebook:
    """A notebook as a program.

    `source` is the program, in UTF-8. `faults` are the cells that are not Python, with their places in the program: as
    in a notebook's run, such a cell has no effect, and the others do. Raises UnreadableFile, with a place in the file.
    """

    def __init__(self, original: bytes) -> None:
        self.original = original
        self.bom = BOM if original.startswith(BOM) else b""
        self.json = _decoded(original.removeprefix(BOM))
        self.cells: list[Cell] = []
        self.faults: list[UnreadableFile] = []
        try:
            raw = json_cells.read(self.json)
        except json_cells.Malformed as error:
            before = self.json[: error.offset]
            column = error.offset - before.rfind("\n")
            raise UnreadableFile(error.message, before.count("\n") + 1, column) from None
        cells = [] if raw.language.lower() not in _PYTHON else raw.cells
        texts = ["".join(piece.text for piece in cell.pieces or ()) for cell in cells if cell.kind == "code"]
        self.masks = Masks(free_word(texts))
        # Two rows precede any code, so that a coding line in the first cell has no effect on Python.
        self._row = 2
        for number, cell in enumerate(cells, 1):
            if cell.kind == "code" and cell.language.lower() in _PYTHON:
                self._add(number, cell)
        self._firsts = [cell.first for cell in self.cells]
        self.head = f"# {self.masks.word}\n"
        parts = [part for cell in self.cells for part in (cell.head, cell.program, "\n")]
        self.source = "".join((self.head, *parts)).encode()

    def _add(self, number: int, raw: RawCell) -> None:
        cell = Cell(number, raw, self._row + 1, f"# {self.masks.word} cell {number}\n", "")
        try:
            cell.text.encode()
            found = cell_as_python(cell.text, self.masks)
        except UnreadableFile as error:
            self._fail(cell, error)
        except UnicodeEncodeError:
            self._fail(cell, UnreadableFile("the cell holds a half of a character", 1, 1))
        else:
            if found is None:
                return
            cell.program, before = found
            cell.head = before + cell.head
        self.cells.append(cell)
        self._row += 1 + cell.rows

    def _fail(self, cell: Cell, error: UnreadableFile) -> None:
        cell.program = "\n" * (cell.rows - 1)
        before = cell.first - 1
        message = re.sub(r"\bline (\d+)\b", lambda found: f"line {int(found[1]) + before}", error.message)
        self.faults.append(UnreadableFile(message, min(error.row, cell.rows) + before, error.column))

    def in_cell(self, place: Location) -> Location:
        """Converts a place in the program to one in a cell."""
        cell = self._around(place.row)
        if cell is None:
            return place
        row, end_row = place.row - cell.first + 1, place.end_row - cell.first + 1
        column, end_column = place.column, place.end_column
        if row < 1:  # a place that means the program as a whole
            row = column = 1
        if end_row < row:
            end_row, end_column = row, column
        elif end_row > cell.rows:
            end_row, end_column = cell.rows, len(_LINE_END.split(cell.text)[-1]) + 1
        return Location(place.filename, row, column, end_row, end_column, cell=cell.number)

    def row(self, number: int, row: int) -> int | None:
        """Converts a row of a cell to one of the program; None if there is no such row or the cell is not Python."""
        cell = next((cell for cell in self.cells if cell.number == number), None)
        return None if cell is None or not 0 < row <= cell.rows else cell.first + row - 1

    def in_file(self, place: Location) -> Location:
        """Converts a place in a cell to one in the JSON text."""
        cell = next(cell for cell in self.cells if cell.number == place.cell)
        starts = [0, *(found.end() for found in _LINE_END.finditer(cell.text))]
        offsets = [
            min(starts[min(row, len(starts)) - 1] + column - 1, len(cell.text))
            for row, column in ((place.row, place.column), (place.end_row, place.end_column))
        ]
        places = []
        for offset, end in zip(offsets, (False, True)):
            at = self._raw(cell, offset, end and offset > offsets[0])
            before = self.json.rfind("\n", 0, at) + 1
            places.append((self.json.count("\n", 0, at) + 1, at - before + 1))
        return Location(place.filename, *places[0], *places[1], within=place)

    def _around(self, row: int) -> Cell | None:
        at = max(bisect_right(self._firsts, row) - 1, 0)
        return self.cells[at] if self.cells else None

    def _raw(self, cell: Cell, offset: int, end: bool) -> int:
        """The position in the JSON text of a cell's character or, with `end`, of the end of the one before it."""
        for piece in cell.pieces:
            if offset < len(piece.text) or (end and offset == len(piece.text)):
                return advanced(self.json, piece.start + 1, offset)
            offset -= len(piece.text)
        return cell.pieces[-1].end - 1 if cell.pieces else cell.raw.start

    def texts(self) -> dict[int, str]:
        """The code of each cell, by number."""
        return {cell.number: cell.text for cell in self.cells}

    def changed(self, source: bytes) -> dict[int, str]:
        """The new code of the cells that a changed program changes. Raises Refused for a change outside the cells."""
        found: dict[int, str] = {}
        text = source.decode()
        if not text.startswith(self.head):
            raise Refused("the fix would stand outside of every cell")
        at = len(self.head)
        for cell, after in zip(self.cells, [*self.cells[1:], None]):
            if not text.startswith(cell.head, at):
                raise Refused("the fix would stand between two cells")
            at += len(cell.head)
            end = len(text) if after is None else text.find("\n" + after.head, at - 1) + 1
            program = text[at : max(end - 1, at)]
            if end <= 0 or text[end - 1] != "\n":
                raise Refused("the fix would join two cells")
            if program != cell.program:
                found[cell.number] = self._restored(cell, program)
            at = end
        return found

    def _restored(self, cell: Cell, program: str) -> str:
        masks = self.masks
        if masks.held(program) != masks.held(cell.program):
            raise Refused("the fix would change a line that is IPython's")
        text = masks.restored(program)
        if masks.word in text:
            raise Refused("the fix would change a line that is IPython's")
        return text


class Script:
    """A Python script of cells (Jupytext, Databricks) with IPython lines, as a program."""

    def __init__(self, original: bytes) -> None:
        """Raises UnreadableFile if no line is IPython's, or the masked text is not Python."""
        try:
            text = original.decode()
        except UnicodeDecodeError as error:
            raise undecodable(str(error), original[: error.start]) from None
        self.original = original
        self.masks = Masks(free_word([text]))
        self._program = mask(text, self.masks)
        if self._program == text or not is_python(self._program.removeprefix("\ufeff")):
            raise UnreadableFile("no line of it is IPython's", 1, 1)
        self.source = self._program.encode()

    def restored(self, source: bytes) -> bytes:
        """The changed program with its IPython lines restored. Raises Refused if the masks changed."""
        program, masks = source.decode(), self.masks
        text = masks.restored(program)
        if masks.held(program) != masks.held(self._program) or masks.word in text:
            raise Refused("the fix would change a line that is IPython's")
        return text.encode()


def is_script(source: bytes) -> bool:
    """Whether a text has the marks of a script of cells."""
    return _SCRIPT.search(source) is not None


def _decoded(source: bytes) -> str:
    if source[:2] in (b"\xff\xfe", b"\xfe\xff"):
        raise UnreadableFile("the file is not UTF-8: it starts with the byte-order mark of UTF-16", 1, 1)
    try:
        return source.decode()
    except UnicodeDecodeError as error:
        raise undecodable(str(error), source[: error.start]) from None


def advanced(json: str, at: int, count: int) -> int:
    """The position `count` characters further on in a string of the JSON text, past escapes."""
    if json.find("\\", at, at + count) < 0:
        return at + count
    for _ in range(count):
        found = _ESCAPE.match(json, at)
        assert found is not None
        at = found.end()
    return at
