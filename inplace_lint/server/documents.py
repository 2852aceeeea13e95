"""Keeps the texts and notebooks that the client has open, each with its version and its file."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from io import BytesIO
from tokenize import detect_encoding
from typing import TYPE_CHECKING

from lsprotocol import types as lsp
from pygls.uris import from_fs_path, to_fs_path

from ..project.paths import shown
from ..project.reading import read
from ..report.source import decode
from .texts import Text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from ..model import Location
    from .analysis import Checked, Offer

#: The languages of the documents that are checked.
PYTHON = ("python", "")


class Part:
    """A text with an address of its own: a document, or a cell of a notebook."""

    __slots__ = ("kind", "text", "uri", "version")

    def __init__(self, uri: str, version: int | None, text: Text, kind: str = "code") -> None:
        self.uri = uri
        self.version = version
        self.text = text
        self.kind = kind

    def change(self, version: int | None, changes: Iterable[lsp.TextDocumentContentChangeEvent]) -> None:
        """Makes the client's changes, one after the other."""
        for one in changes:
            span = getattr(one, "range", None)
            self.text = self.text.replaced(span, one.text)
        self.version = version


class Document:
    """A file that is open; `filename` is as in the reports.

    `stamp` differs after each change, of whatever part. `checked` is what was found, or why nothing is known, in the
    text that had that stamp; `offered` what may be done about which findings of these.
    """

    def __init__(self, uri: str, filename: str, parts: Sequence[Part], stamp: int, notebook: bool) -> None:
        self.uri = uri
        self.filename = filename
        self.parts = list(parts)
        self.stamp = stamp
        self.is_notebook = notebook
        self.checked: tuple[int, Checked | str] | None = None
        self.offered: tuple[object, list[Offer]] | None = None

    def content(self) -> bytes:
        """The bytes of the file as it would be saved."""
        if not self.is_notebook:
            return _encoded(self.parts[0].text.text)
        cells = [{"cell_type": part.kind, "source": part.text.text} for part in self.parts]
        return json.dumps({"cells": cells, "nbformat": 4}).encode()

    def part(self, cell: int | None) -> Part | None:
        """The part in which a place stands; of a notebook that of a cell (from 1)."""
        number = 0 if not self.is_notebook else (cell or 1) - 1
        return self.parts[number] if 0 <= number < len(self.parts) else None

    def of(self, uri: str) -> tuple[Part, int | None] | None:
        """The part with this address, and the number of its cell."""
        for number, part in enumerate(self.parts, 1):
            if part.uri == uri:
                return part, number if self.is_notebook else None
        return None


class Documents:
    """All that is open, by address and by file."""

    def __init__(self) -> None:
        self.units: lsp.PositionEncodingKind | str = lsp.PositionEncodingKind.Utf16
        self._by_uri: dict[str, Document] = {}
        self._stamps = 0

    def __iter__(self) -> Iterator[Document]:
        return iter(dict.fromkeys(self._by_uri.values()))

    def get(self, uri: str) -> Document | None:
        """The document with this address, or with a cell that has it."""
        return self._by_uri.get(uri)

    def texts(self) -> dict[str, bytes]:
        """What the files that are open hold, saved or not."""
        return {document.filename: document.content() for document in self}

    # Texts

    def open(self, item: lsp.TextDocumentItem, root: str) -> Document | None:
        """A text was opened; None where it is in no language that is checked. `root` is where one without a file is."""
        if item.language_id not in PYTHON:
            return None
        part = Part(item.uri, item.version, Text(item.text, self.units))
        document = Document(item.uri, _filename(item.uri, root), [part], self._stamp(), notebook=False)
        self._by_uri[item.uri] = document
        return document

    def change(
        self,
        named: lsp.VersionedTextDocumentIdentifier,
        changes: Sequence[lsp.TextDocumentContentChangeEvent],
    ) -> Document | None:
        """A text, or the cell of a notebook, was changed."""
        document = self._by_uri.get(named.uri)
        found = document.of(named.uri) if document else None
        if document is None or found is None:
            return None
        found[0].change(named.version, changes)
        document.stamp = self._stamp()
        return document

    def close(self, uri: str) -> Document | None:
        """A document was closed."""
        document = self._by_uri.get(uri)
        if document is None:
            return None
        for address in [uri, *(part.uri for part in document.parts)]:
            self._by_uri.pop(address, None)
        document.stamp = self._stamp()
        return document

    # Notebooks

    def open_notebook(
        self, book: lsp.NotebookDocument, texts: Sequence[lsp.TextDocumentItem], root: str
    ) -> Document:
        """A notebook was opened."""
        document = Document(book.uri, _filename(book.uri, root, ".ipynb"), [], self._stamp(), notebook=True)
        self._by_uri[book.uri] = document
        self._put_cells(document, 0, 0, book.cells, texts)
        return document

    def change_notebook(self, uri: str, change: lsp.NotebookDocumentChangeEvent) -> Document | None:
        """Cells of a notebook came, went, or were changed."""
        document = self._by_uri.get(uri)
        if document is None:
            return None
        structure = change.cells.structure if change.cells else None
        if structure is not None:
            array = structure.array
            cells, texts = array.cells or (), structure.did_open or ()
            self._put_cells(document, array.start, array.delete_count, cells, texts)
        for one in (change.cells.text_content if change.cells else None) or ():
            self.change(one.document, one.changes)
        document.stamp = self._stamp()
        return document

    def _put_cells(
        self,
        document: Document,
        start: int,
        count: int,
        cells: Sequence[lsp.NotebookCell],
        texts: Iterable[lsp.TextDocumentItem],
    ) -> None:
        opened = {item.uri: item for item in texts}
        known = {part.uri: part for part in document.parts}
        new = []
        for cell in cells:
            item = opened.get(cell.document)
            if item is None:  # a cell that was moved
                new.append(known.get(cell.document) or Part(cell.document, None, Text("", self.units)))
                continue
            code = cell.kind == lsp.NotebookCellKind.Code and item.language_id in PYTHON
            part = Part(item.uri, item.version, Text(item.text, self.units), "code" if code else "raw")
            new.append(part)
        for gone in document.parts[start : start + count]:
            self._by_uri.pop(gone.uri, None)
        document.parts[start : start + count] = new
        self._by_uri.update((part.uri, document) for part in new)

    # Places

    def place(self, place: Location) -> lsp.Location | None:
        """Where a place of a report is for the client, in what it has open or on disk; None where there is no file."""
        for document in self:
            if document.filename == place.filename:
                part = document.part(place.cell)
                return None if part is None else lsp.Location(part.uri, part.text.range(place))
        try:
            text = decode(read(place.filename))
        except OSError:
            return None
        uri = from_fs_path(os.path.abspath(place.filename))
        return None if uri is None else lsp.Location(uri, Text(text, self.units).range(place))

    def _stamp(self) -> int:
        self._stamps += 1
        return self._stamps


def _filename(uri: str, root: str, suffix: str = "") -> str:
    """The file that an address stands for; one that no import can mean where it stands for none."""
    path = to_fs_path(uri)
    if path:
        return shown(path)
    name = "".join(letter if letter.isalnum() else "-" for letter in uri.rpartition(":")[2])
    return shown(os.path.join(root, f"<{name}>{suffix}"))


def _encoded(text: str) -> bytes:
    """A text in the encoding that it claims."""
    source = text.encode("utf-8", "replace")
    with suppress(SyntaxError, LookupError):
        encoding = detect_encoding(BytesIO(source.replace(b"\r", b"\n")).readline)[0]
        if encoding != "utf-8":
            return text.encode(encoding, "replace")
    return source
