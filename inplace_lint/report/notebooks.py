"""Converts places in notebooks for display: to a row of a cell, or to a row of the file's JSON text."""

from __future__ import annotations

import re
from contextlib import suppress
from copy import copy
from typing import TYPE_CHECKING

from ..model import Diagnostic, Edit, Fix, Label, Location
from ..syntax.notebook import SUFFIX, Notebook
from ..syntax.unreadable import UnreadableFile
from .source import Sources
from .style import code_spans

if TYPE_CHECKING:
    from .findings import Findings


def in_cells(findings: Findings, beside: bool) -> Findings:
    """The findings with places in cells, whose code the sources hold from then on; with `beside` in the JSON text.

    Edits are made in cells: where places are those of the file, none is shown.
    """
    books = _Notebooks(findings.sources, beside)
    moved = copy(findings)
    moved.diagnostics = [
        books.placed(one) if one.location.filename.endswith(SUFFIX) else one for one in findings.diagnostics
    ]
    return moved


class _Notebooks:
    """Reads each notebook once."""

    def __init__(self, sources: Sources, beside: bool) -> None:
        self._sources = sources
        self._beside = beside
        self._read: dict[str, Notebook | None] = {}

    def placed(self, one: Diagnostic) -> Diagnostic:
        book = self._of(one.location.filename)
        if book is None:
            return one
        labels = tuple(
            Label(label.role, sentence_in_cells(label.message, book), self._place(label.location))
            for label in one.labels
        )
        plan = copy(one.plan)
        if plan is not None:
            plan.message = sentence_in_cells(plan.message, book)
            plan.differences = tuple(sentence_in_cells(text, book) for text in plan.differences)
        told = {
            name: sentence_in_cells(getattr(one, name), book)
            for name in ("message", "caption", "help", "remark")
        }
        refused = None if one.fix_refused is None else sentence_in_cells(one.fix_refused, book)
        fix = None if one.fix is None or self._beside else self._fix(one.fix, book)
        place = self._place(one.location)
        return one.replace(location=place, labels=labels, plan=plan, fix=fix, fix_refused=refused, **told)

    def _fix(self, fix: Fix, book: Notebook) -> Fix:
        edits = (Edit(book.masks.restored(edit.content), self._place(edit.location)) for edit in fix.edits)
        return Fix(fix.applicability, sentence_in_cells(fix.message, book), tuple(edits))

    def _place(self, place: Location) -> Location:
        book = self._of(place.filename)
        if book is None:
            return place
        shown = book.in_cell(place)
        return book.in_file(shown) if self._beside and shown.cell is not None else shown

    def _of(self, filename: str) -> Notebook | None:
        if filename not in self._read:
            book = None
            if filename.endswith(SUFFIX):
                # What cannot be read has a finding that says so, and where in the file.
                with suppress(UnreadableFile):
                    book = Notebook(self._sources.content(filename))
            self._read[filename] = book
            for number, text in (book.texts() if book else {}).items():
                self._sources.add(f"{filename}:cell {number}", text)
        return self._read[filename]


def sentence_in_cells(text: str, book: Notebook) -> str:
    """A sentence in which a line is one of a cell, not of the program that all cells are."""
    if "line" not in text:
        return text

    def said(found: re.Match[str]) -> str:
        row = int(found.group(1))
        place = book.in_cell(Location("", row, 1, row, 1))
        last = "" if found.group(2) is None else f" to {place.row + int(found.group(2)) - row}"
        return f"line{'s' * bool(last)} {place.row}{last} of cell {place.cell}"

    parts = code_spans(text)
    parts[::2] = (re.sub(r"\blines? (\d+)(?: to (\d+))?\b", said, part) for part in parts[::2])
    return "`".join(parts)
