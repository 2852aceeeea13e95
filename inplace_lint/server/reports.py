"""Tells the client what was found, and what is wrong with a configuration: each thing once."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from lsprotocol import types as lsp
from pygls.uris import from_fs_path

from . import publish

if TYPE_CHECKING:
    from pygls.lsp.server import LanguageServer

    from ..model import Diagnostic
    from .analysis import Checked
    from .documents import Document, Documents


class Reports:
    """What a client was told last."""

    def __init__(self, client: LanguageServer, documents: Documents) -> None:
        self.abilities = publish.Abilities(lsp.ClientCapabilities())
        self._client = client
        self._documents = documents
        self._faults: dict[str, tuple[str, int, str]] = {}
        self._sent: dict[str, lsp.PublishDiagnosticsParams] = {}

    def shown(self, one: Diagnostic) -> lsp.Diagnostic | None:
        """A finding as the client shows it."""
        return publish.diagnostic(one, self._documents.place, self.abilities)

    def publish(self, document: Document, result: Checked | str) -> None:
        """Tells what was found in a document, which holds the text that was checked."""
        found: dict[str, list[lsp.Diagnostic]] = {part.uri: [] for part in document.parts}
        if isinstance(result, str):
            for told in list(found.values())[:1]:
                told.append(publish.trouble(result))
        else:
            self.tell_fault(document, result.fault)
            for one in result.findings:
                place = self._documents.place(one.location)
                shown = self.shown(one)
                if place is not None and shown is not None:
                    found.setdefault(place.uri, []).append(shown)
        for part in document.parts:
            self.send(part.uri, part.version, found[part.uri])

    def tell_fault(self, document: Document, fault: tuple[str, int, str] | None) -> None:
        """Tells once what is wrong with a configuration, marks its line, and takes the mark away when it is mended."""
        before, now = self._faults.pop(document.filename, None), fault
        known = before == now or now in self._faults.values()
        if now is not None:
            self._faults[document.filename] = now
            if not known:
                text = f"{now[0]}:{now[1]}: {now[2]}. Files under it are not checked."
                self._client.window_show_message(lsp.ShowMessageParams(lsp.MessageType.Error, text))
        for name in {one[0] for one in (before, now) if one is not None and before != now}:
            uri = from_fs_path(os.path.abspath(name))
            wrong = {one for one in self._faults.values() if one[0] == name}
            if uri is not None:
                self.send(uri, None, [publish.configuration(line, text) for _, line, text in sorted(wrong)])

    def send(self, uri: str, version: int | None, found: list[lsp.Diagnostic]) -> None:
        """Tells what is found in a text, unless that was the last that was told."""
        told = lsp.PublishDiagnosticsParams(uri, found, version)
        if self._sent.get(uri) != told:
            self._sent[uri] = told
            self._client.text_document_publish_diagnostics(told)
        if version is None and not found:  # it is closed, or in order
            self._sent.pop(uri, None)
