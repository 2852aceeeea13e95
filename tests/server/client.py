"""A language client for the tests: starts the server as an editor does, and waits for what it tells."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from lsprotocol import types as lsp
from pygls.lsp.client import LanguageClient
from pygls.uris import from_fs_path

ROOT = Path(__file__).parents[2]
#: So many seconds are enough for any answer on a busy machine.
PATIENCE = 60.0


class Client(LanguageClient):
    """A client that keeps the latest that it was told of each document."""

    def __init__(self) -> None:
        super().__init__("tests", "1")
        self.told: dict[str, lsp.PublishDiagnosticsParams] = {}
        self.all_told: list[lsp.PublishDiagnosticsParams] = []
        self.messages: list[str] = []
        self.registered: list[lsp.Registration] = []
        self._news = asyncio.Event()

        @self.feature(lsp.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
        def _published(params: lsp.PublishDiagnosticsParams) -> None:
            self.told[params.uri] = params
            self.all_told.append(params)
            self._announce()

        @self.feature(lsp.WINDOW_SHOW_MESSAGE)
        def _shown(params: lsp.ShowMessageParams) -> None:
            self.messages.append(params.message)
            self._announce()

        @self.feature(lsp.WINDOW_LOG_MESSAGE)
        def _logged(params: lsp.LogMessageParams) -> None:
            print(params.message, file=sys.stderr)

        @self.feature(lsp.CLIENT_REGISTER_CAPABILITY)
        def _registered(params: lsp.RegistrationParams) -> None:
            self.registered += params.registrations
            self._announce()

    def _announce(self) -> None:
        news, self._news = self._news, asyncio.Event()
        news.set()

    async def until(self, holds: Callable[[], Any]) -> Any:
        """What `holds` gives once it is true."""

        async def waited() -> Any:
            while not (found := holds()):
                await self._news.wait()
            return found

        return await asyncio.wait_for(waited(), PATIENCE)

    async def diagnostics(self, uri: str, version: int | None = 1) -> list[lsp.Diagnostic]:
        """What is found in a version of a document."""

        def told() -> lsp.PublishDiagnosticsParams | None:
            latest = self.told.get(uri)
            return latest if latest is not None and latest.version == version else None

        return list((await self.until(told)).diagnostics)

    def open(self, uri: str, text: str, version: int = 1, language: str = "python") -> None:
        item = lsp.TextDocumentItem(uri, language, version, text)
        self.text_document_did_open(lsp.DidOpenTextDocumentParams(item))

    def change(self, uri: str, version: int, *changes: lsp.TextDocumentContentChangeEvent) -> None:
        named = lsp.VersionedTextDocumentIdentifier(version, uri)
        self.text_document_did_change(lsp.DidChangeTextDocumentParams(named, list(changes)))

    def set(self, uri: str, version: int, text: str) -> None:
        self.change(uri, version, lsp.TextDocumentContentChangeWholeDocument(text))

    def close(self, uri: str) -> None:
        self.text_document_did_close(lsp.DidCloseTextDocumentParams(lsp.TextDocumentIdentifier(uri)))

    async def actions(self, uri: str, span: lsp.Range, *only: str) -> list[lsp.CodeAction]:
        found = await self.text_document_code_action_async(
            lsp.CodeActionParams(
                lsp.TextDocumentIdentifier(uri), span, lsp.CodeActionContext([], list(only) or None)
            )
        )
        return [one for one in found or () if isinstance(one, lsp.CodeAction)]

    async def hover(self, uri: str, line: int, character: int) -> str:
        position = lsp.Position(line, character)
        found = await self.text_document_hover_async(
            lsp.HoverParams(lsp.TextDocumentIdentifier(uri), position)
        )
        return "" if found is None else found.contents.value


CAPABILITIES = lsp.ClientCapabilities(
    text_document=lsp.TextDocumentClientCapabilities(
        publish_diagnostics=lsp.PublishDiagnosticsClientCapabilities(
            related_information=True,
            tag_support=lsp.ClientDiagnosticsTagOptions([lsp.DiagnosticTag.Unnecessary]),
            version_support=True,
        ),
        code_action=lsp.CodeActionClientCapabilities(
            code_action_literal_support=lsp.ClientCodeActionLiteralOptions(
                lsp.ClientCodeActionKindOptions([lsp.CodeActionKind.QuickFix])
            ),
            is_preferred_support=True,
        ),
        hover=lsp.HoverClientCapabilities(content_format=[lsp.MarkupKind.Markdown]),
    ),
    workspace=lsp.WorkspaceClientCapabilities(
        workspace_edit=lsp.WorkspaceEditClientCapabilities(document_changes=True),
        did_change_watched_files=lsp.DidChangeWatchedFilesClientCapabilities(dynamic_registration=True),
    ),
    notebook_document=lsp.NotebookDocumentClientCapabilities(lsp.NotebookDocumentSyncClientCapabilities()),
)


@asynccontextmanager
async def session(
    *folders: Path, capabilities: lsp.ClientCapabilities = CAPABILITIES, cwd: Path | None = None
):
    """A client whose server has been started in these folders; ends both."""
    client = Client()
    main = ROOT / "inplace_lint" / "__main__.py"
    await client.start_io(sys.executable, str(main), "server", cwd=str(cwd or folders[0]))
    opened = [lsp.WorkspaceFolder(address(folder), folder.name) for folder in folders]
    client.answer = await client.initialize_async(
        lsp.InitializeParams(capabilities, workspace_folders=opened)
    )
    client.initialized(lsp.InitializedParams())
    try:
        yield client
        await client.shutdown_async(None)
    finally:
        client.exit(None)
        await asyncio.wait_for(client.stop(), PATIENCE)
    server = client._server
    assert server is not None
    assert server.stderr is not None
    told = (await server.stderr.read()).decode()
    assert (server.returncode, "Traceback" in told) == (0, False), told


def address(path: Path) -> str:
    uri = from_fs_path(str(path))
    assert uri is not None
    return uri
