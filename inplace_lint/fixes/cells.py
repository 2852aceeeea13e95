"""Writes changed code back into the cells of a notebook; the rest of its JSON text stays as it is."""

from __future__ import annotations

import difflib
import json
from typing import TYPE_CHECKING

from .files import diff

if TYPE_CHECKING:
    from ..syntax.notebook import Cell, Notebook


def written(book: Notebook, source: bytes) -> bytes:
    """The notebook with a changed program. Raises Refused if the program cannot be split into cells again."""
    changed = book.changed(source)
    parts: list[str] = []
    done = 0
    for cell in book.cells:
        if cell.number in changed:
            lines = changed[cell.number].splitlines(keepends=True)  # as Jupyter splits them
            make = _listed if cell.raw.listed else _whole
            parts += (book.json[done : cell.raw.start], make(book.json, cell, lines))
            done = cell.raw.end
    return book.bom + ("".join(parts) + book.json[done:]).encode()


def shown(filename: str, book: Notebook, source: bytes) -> str:
    """The change as one diff per cell. A missing line end at a cell's end is not shown: most cells have none."""
    texts = book.texts()
    return "".join(
        diff(f"{filename}:cell {number}", *(f"{one}\n".encode() for one in (texts[number], text)))
        for number, text in book.changed(source).items()
    )


def _listed(text: str, cell: Cell, lines: list[str]) -> str:
    """A cell's source as a JSON list of lines; unchanged lines and the text between them keep their spelling."""
    pieces = cell.pieces
    raw = [text[piece.start : piece.end] for piece in pieces]
    strings = _strings(text, [piece.text for piece in pieces], raw, lines)
    if not pieces or not strings:
        return f"[{', '.join(strings)}]"
    before, after = text[cell.raw.start : pieces[0].start], text[pieces[-1].end : cell.raw.end]
    between = f",{before[1:] or ' '}" if len(pieces) == 1 else text[pieces[0].end : pieces[1].start]
    return before + between.join(strings) + after


def _whole(text: str, cell: Cell, lines: list[str]) -> str:
    """A cell's source as one JSON string; unchanged lines keep their spelling."""
    from ..syntax.notebook import advanced

    piece = cell.pieces[0]
    old = piece.text.splitlines(keepends=True)
    raw = []
    at = piece.start + 1
    for line in old:
        end = advanced(text, at, len(line))
        raw.append(f'"{text[at:end]}"')
        at = end
    return '"' + "".join(string[1:-1] for string in _strings(text, old, raw, lines)) + '"'


def _strings(text: str, old: list[str], raw: list[str], new: list[str]) -> list[str]:
    """The new lines as JSON strings; a line that was there before keeps its spelling."""
    strings: list[str] = []
    ascii_only = text.isascii()
    for kind, begin, end, first, last in difflib.SequenceMatcher(
        None, old, new, autojunk=False
    ).get_opcodes():
        if kind == "equal":
            strings += raw[begin:end]
        else:
            strings += (json.dumps(line, ensure_ascii=ascii_only) for line in new[first:last])
    return strings
