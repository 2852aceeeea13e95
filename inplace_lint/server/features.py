"""Handles the requests and notifications of a language client."""

from __future__ import annotations

import os
from functools import partial
from typing import TYPE_CHECKING, Any

from lsprotocol import types as lsp
from pygls.lsp.server import LanguageServer
from pygls.uris import to_fs_path

from .. import __version__
from . import actions, hover
from .documents import Documents
from .process import NoAnswer, Worker
from .publish import Abilities
from .reports import Reports
from .schedule import Checks

if TYPE_CHECKING:
    from ..model import Diagnostic
    from .analysis import Offer
    from .documents import Document

#: What may change findings besides what is open.
_WATCHED = ("**/*.py", "**/pyproject.toml", "**/inplace-lint.toml")
#: The command that tells what the analysis knows at a line: it takes an address and a line, from 0.
EXPLAIN = "inplace-lint.explain"
_NOTEBOOKS = lsp.NotebookDocumentSyncOptions(
    [
        lsp.NotebookDocumentFilterWithNotebook(
            lsp.NotebookDocumentFilterNotebookType("jupyter-notebook"), [lsp.NotebookCellLanguage("python")]
        )
    ],
    save=True,
)


class Features:
    """A client's session: what it has open, what was found in it, and what it is told.

    One worker checks; another answers what is asked about findings, so that a check never waits for that.
    """

    def __init__(self) -> None:
        self.client = LanguageServer(
            "inplace-lint", __version__, notebook_document_sync=_NOTEBOOKS, max_workers=1
        )
        self.documents = Documents()
        self.reports = Reports(self.client, self.documents)
        self.checking, self.asking = Worker(), Worker()
        self.checks = Checks(self.documents, self.checking, self.reports.publish)
        _register(self)

    # A session

    def initialize(self, params: lsp.InitializeParams) -> None:
        self.reports.abilities = Abilities(params.capabilities)
        self.documents.units = self.client.workspace.position_encoding or lsp.PositionEncodingKind.Utf16

    def initialized(self, _: object) -> None:
        if self.reports.abilities.watching:
            watchers = [lsp.FileSystemWatcher(pattern) for pattern in _WATCHED]
            options = lsp.DidChangeWatchedFilesRegistrationOptions(watchers)
            method = lsp.WORKSPACE_DID_CHANGE_WATCHED_FILES
            self.client.client_register_capability(
                lsp.RegistrationParams([lsp.Registration("files", method, options)])
            )

    async def shutdown(self, _: object) -> None:
        await self.checking.close()
        await self.asking.close()

    # What is open

    @property
    def root(self) -> str:
        """Where a document without a file is taken to be."""
        folders = self.client.workspace.folders
        uri = next(iter(folders), None) or self.client.workspace.root_uri
        return (to_fs_path(uri) if uri else None) or os.getcwd()

    def opened(self, params: lsp.DidOpenTextDocumentParams) -> None:
        self._check(self.documents.open(params.text_document, self.root))

    def changed(self, params: lsp.DidChangeTextDocumentParams) -> None:
        self._check(self.documents.change(params.text_document, params.content_changes))

    def saved(self, params: lsp.DidSaveTextDocumentParams) -> None:
        self._rest_on(params.text_document.uri)

    def saved_notebook(self, params: lsp.DidSaveNotebookDocumentParams) -> None:
        self._rest_on(params.notebook_document.uri)

    def closed(self, params: lsp.DidCloseTextDocumentParams) -> None:
        self._close(params.text_document.uri)

    def opened_notebook(self, params: lsp.DidOpenNotebookDocumentParams) -> None:
        book = params.notebook_document
        self._check(self.documents.open_notebook(book, params.cell_text_documents, self.root))

    def changed_notebook(self, params: lsp.DidChangeNotebookDocumentParams) -> None:
        before = self.documents.get(params.notebook_document.uri)
        uris = {part.uri for part in before.parts} if before else set()
        document = self.documents.change_notebook(params.notebook_document.uri, params.change)
        if document is not None:
            for uri in uris - {part.uri for part in document.parts}:
                self.reports.send(uri, None, [])
            self._check(document)

    def closed_notebook(self, params: lsp.DidCloseNotebookDocumentParams) -> None:
        self._close(params.notebook_document.uri)

    def files_changed(self, params: lsp.DidChangeWatchedFilesParams) -> None:
        for change in params.changes:
            self._rest_on(change.uri)

    def configured(self, _: object) -> None:
        self.checks.want_all()

    def _rest_on(self, uri: str) -> None:
        """Checks again what may rest on a file: all that is open, if that is no Python."""
        path = to_fs_path(uri)
        self.checks.want_all(path if path and path.endswith(".py") else None)

    def _check(self, document: Document | None) -> None:
        if document is not None:
            self.checks.want(document)

    def _close(self, uri: str) -> None:
        document = self.documents.close(uri)
        if document is not None:
            self.checks.forget(document)
            self.reports.tell_fault(document, None)
            for part in document.parts:
                self.reports.send(part.uri, None, [])
            self.checks.want_all(document.filename)  # it is what is on disk now

    # What is asked

    async def code_actions(self, params: lsp.CodeActionParams) -> list[lsp.CodeAction]:
        document = self.documents.get(params.text_document.uri)
        if document is None or not self.reports.abilities.literal_actions:
            return []
        only, found = params.context.only, []
        if actions.wanted(actions.FIX_ALL, only):
            edits = await self._asked(document, "fixed")
            edit = actions.workspace_edit(document, edits or (), self.reports.abilities.versioned_edits)
            found += [actions.fix_all(edit)] if edit else []
        if actions.wanted(lsp.CodeActionKind.QuickFix, only):
            found += await self._quick_fixes(document, params)
        return found

    async def _quick_fixes(self, document: Document, params: lsp.CodeActionParams) -> list[lsp.CodeAction]:
        stamp = document.stamp
        findings = await self._at(document, params.text_document.uri, params.range)
        if not findings:
            return []
        offers = await self._offers(document, findings)
        if offers is None or document.stamp != stamp:
            return []
        versioned = self.reports.abilities.versioned_edits
        fixes, ignores = [], []
        for one, offer in zip(findings, offers):
            shown = self.reports.shown(one)
            edit = actions.workspace_edit(document, offer.fix, versioned)
            if edit is not None and one.plan is not None:
                fixes.append(actions.quick_fix(one, shown, edit))
            edit = actions.workspace_edit(document, offer.ignore, versioned)
            if edit is not None:
                ignores.append(actions.ignore(one, shown, edit))
        return fixes + ignores

    async def _offers(self, document: Document, findings: list[Diagnostic]) -> list[Offer] | None:
        """What may be done about findings; asked once, for editors ask again wherever the cursor goes."""
        checked, wanted = document.checked, tuple((one.code, one.location) for one in findings)
        key = (checked, wanted, [one.location.cell for one in findings])
        if document.offered is None or document.offered[0] != key:
            offers: list[Offer] | None = await self._asked(document, "offers", wanted)
            if offers is None:
                return None
            document.offered = (key, offers)
        return document.offered[1]

    async def hover(self, params: lsp.HoverParams) -> lsp.Hover | None:
        document, at = self.documents.get(params.text_document.uri), params.position
        if document is None:
            return None
        findings = await self._at(document, params.text_document.uri, lsp.Range(at, at))
        if not findings:
            return None
        explained = await self._explained(document, params.text_document.uri, at)
        markdown = self.reports.abilities.markdown
        kind = lsp.MarkupKind.Markdown if markdown else lsp.MarkupKind.PlainText
        where = self.documents.place(findings[0].location)
        text = hover.told(findings, explained, markdown)
        return lsp.Hover(lsp.MarkupContent(kind, text), where.range if where else None)

    async def explain(self, uri: str, line: int) -> str:
        """What the analysis knows at a line of a document that is open."""
        document = self.documents.get(uri)
        if document is None:
            return "inplace-lint explains lines of Python files and notebooks that are open."
        return await self._explained(document, uri, lsp.Position(line, 0))

    async def _explained(self, document: Document, uri: str, at: lsp.Position) -> str:
        found = document.of(uri)
        if found is None:
            return ""
        part, cell = found
        return await self._asked(document, "explained", part.text.row_and_column(at)[0], cell) or ""

    async def _at(self, document: Document, uri: str, span: lsp.Range) -> list[Diagnostic]:
        """The findings of a document, in the text that it holds now, that touch a range."""
        result = await self.checks.result(document)
        findings = result.findings if result else []
        places = ((one, self.documents.place(one.location)) for one in findings)
        return [one for one, place in places if place and place.uri == uri and _touch(place.range, span)]

    async def _asked(self, document: Document, method: str, *arguments: object) -> Any:
        """What the worker answers about the text that a document holds; None where it has changed meanwhile."""
        stamp = document.stamp
        try:
            answer = await self.asking.ask(self.documents.texts(), method, document.filename, *arguments)
        except NoAnswer as reason:
            self.client.window_log_message(lsp.LogMessageParams(lsp.MessageType.Error, str(reason)))
            return None
        return answer if document.stamp == stamp else None


def _touch(one: lsp.Range, other: lsp.Range) -> bool:
    return _order(one.start) <= _order(other.end) and _order(other.start) <= _order(one.end)


def _order(position: lsp.Position) -> tuple[int, int]:
    return position.line, position.character


def _register(features: Features) -> None:
    """Makes the session's methods what the client reaches, in place of how pygls keeps documents.

    For pygls a form feed ends a line, which it does for no client: texts would drift apart.
    """
    client = features.client
    kept: dict[str, Any] = {
        lsp.TEXT_DOCUMENT_DID_OPEN: features.opened,
        lsp.TEXT_DOCUMENT_DID_CHANGE: features.changed,
        lsp.TEXT_DOCUMENT_DID_CLOSE: features.closed,
        lsp.NOTEBOOK_DOCUMENT_DID_OPEN: features.opened_notebook,
        lsp.NOTEBOOK_DOCUMENT_DID_CHANGE: features.changed_notebook,
        lsp.NOTEBOOK_DOCUMENT_DID_CLOSE: features.closed_notebook,
    }
    for name in kept:
        del client.protocol.fm.builtin_features[name]
    handlers: dict[str, Any] = {
        **kept,
        lsp.INITIALIZE: features.initialize,
        lsp.INITIALIZED: features.initialized,
        lsp.SHUTDOWN: features.shutdown,
        lsp.TEXT_DOCUMENT_DID_SAVE: features.saved,
        lsp.NOTEBOOK_DOCUMENT_DID_SAVE: features.saved_notebook,
        lsp.WORKSPACE_DID_CHANGE_WATCHED_FILES: features.files_changed,
        lsp.WORKSPACE_DID_CHANGE_CONFIGURATION: features.configured,
        lsp.TEXT_DOCUMENT_HOVER: features.hover,
    }
    for name, handler in handlers.items():
        client.feature(name)(partial(handler))
    options = lsp.CodeActionOptions(list(actions.KINDS))
    client.feature(lsp.TEXT_DOCUMENT_CODE_ACTION, options)(partial(features.code_actions))
    client.command(EXPLAIN)(partial(features.explain))
