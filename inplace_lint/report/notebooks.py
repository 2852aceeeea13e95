"""Places in notebooks as they are shown: in a cell, or in the JSON text of the file."""

from __future__ import annotations

from contextlib import suppress
from copy import copy

from ..model import Diagnostic, Edit, Fix, Label, Location
from ..syntax.notebook import SUFFIX, Notebook
from ..syntax.parse import UnreadableFile
from .source import Sources

TYPE_CHECKING = False
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
        labels = tuple(Label(label.role, label.message, self._place(label.location)) for label in one.labels)
        fix = one.fix
        if fix is not None and self._beside:
            fix = None
        elif fix is not None:
            edits = (
                Edit(book.masks.restored(edit.content), self._place(edit.location)) for edit in fix.edits
            )
            fix = Fix(fix.applicability, fix.message, tuple(edits))
        return one.replace(location=self._place(one.location), labels=labels, fix=fix)

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
