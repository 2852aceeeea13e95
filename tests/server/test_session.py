"""The server as an editor meets it: started as a process, spoken to in the protocol."""

from __future__ import annotations

import asyncio
import os
import random
import signal
from collections.abc import Coroutine
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types as lsp

from inplace_lint.cli import main
from inplace_lint.server.analysis import Checked
from inplace_lint.server.documents import Documents
from inplace_lint.server.process import Worker
from inplace_lint.server.schedule import Checks

from .client import CAPABILITIES, address, session

HEAD = "import torch\n\n\n"
GATE = "def gate(x, bias):\n    y = torch.sigmoid(x)\n    y += bias\n    return y\n"
SAFE = "a = torch.ones(3, requires_grad=True)\nb = torch.sigmoid(a)\nb += 1\nb.sum().backward()\n"


def run(what: Coroutine[Any, Any, None]) -> None:
    asyncio.run(what)


def codes(found: list[lsp.Diagnostic]) -> list[str]:
    return [str(one.code) for one in found]


def applied(text: str, edit: lsp.WorkspaceEdit | None, uri: str, version: int) -> str:
    """A text (of plain characters) after an edit that was made for this version of it."""
    assert edit is not None
    (change,) = edit.document_changes or ()
    assert isinstance(change, lsp.TextDocumentEdit)
    assert (change.text_document.uri, change.text_document.version) == (uri, version)
    lines = text.splitlines(keepends=True)

    def offset(at: lsp.Position) -> int:
        return sum(map(len, lines[: at.line])) + at.character

    for one in sorted(change.edits, key=lambda one: (one.range.start.line, one.range.start.character))[::-1]:
        assert isinstance(one, lsp.TextEdit)
        text = text[: offset(one.range.start)] + one.new_text + text[offset(one.range.end) :]
    return text


def everywhere(text: str) -> lsp.Range:
    return lsp.Range(lsp.Position(0, 0), lsp.Position(text.count("\n") + 1, 0))


def test_a_finding_has_both_places_and_the_version_of_the_text(tmp_path: Path) -> None:
    async def talk() -> None:
        async with session(tmp_path) as client:
            uri = address(tmp_path / "gate.py")
            client.open(uri, HEAD + GATE, 7)
            (one,) = await client.diagnostics(uri, 7)
            assert (one.code, one.source, one.severity) == (
                "IPL101",
                "inplace-lint",
                lsp.DiagnosticSeverity.Error,
            )
            assert one.range == lsp.Range(lsp.Position(5, 4), lsp.Position(5, 13))
            (save,) = one.related_information or ()
            assert save.location == lsp.Location(uri, lsp.Range(lsp.Position(4, 8), lsp.Position(4, 24)))
            assert "saves this result" in save.message
            assert one.code_description is None, "there is no published page yet"
            client.close(uri)
            assert await client.diagnostics(uri, None) == []

    run(talk())


def test_a_client_without_related_places_is_told_them_in_the_message(tmp_path: Path) -> None:
    async def talk() -> None:
        async with session(tmp_path, capabilities=lsp.ClientCapabilities()) as client:
            uri = address(tmp_path / "gate.py")
            client.open(uri, HEAD + GATE)
            (one,) = await client.diagnostics(uri)
            assert "\nline 5: SigmoidBackward0 saves this result" in one.message
            assert one.related_information is None

    run(talk())


def test_columns_are_counted_in_the_units_that_were_agreed_on(tmp_path: Path) -> None:
    line = "y = torch.sigmoid(a); s = '🙂名前'; y += 1\n"
    text = "import torch\na = torch.ones(3, requires_grad=True)\n" + line + "y.sum().backward()\n"
    expected = {None: 34, "utf-16": 34, "utf-8": 40, "utf-32": 33}

    async def talk(encoding: str | None) -> None:
        general = lsp.GeneralClientCapabilities(
            position_encodings=[lsp.PositionEncodingKind(encoding)] if encoding else None
        )
        capabilities = lsp.ClientCapabilities(
            general=general, text_document=CAPABILITIES.text_document, workspace=CAPABILITIES.workspace
        )
        async with session(tmp_path, capabilities=capabilities) as client:
            assert client.answer.capabilities.position_encoding == (encoding or "utf-16")
            uri = address(tmp_path / "名前.py")
            client.open(uri, text)
            (one,) = await client.diagnostics(uri)
            start = expected[encoding]
            assert one.range == lsp.Range(lsp.Position(2, start), lsp.Position(2, start + 6))
            # A change that is given as a range, behind the same characters.
            span = lsp.Range(lsp.Position(2, start + 5), lsp.Position(2, start + 6))
            client.change(uri, 2, lsp.TextDocumentContentChangePartial(span, "12"))
            (one,) = await client.diagnostics(uri, 2)
            assert one.range.end == lsp.Position(2, start + 7)
            fix, ignore = await client.actions(uri, one.range)
            assert fix.edit is not None
            assert ignore.edit is not None
            (change,) = fix.edit.document_changes or ()
            assert isinstance(change, lsp.TextDocumentEdit)
            assert change.edits == (lsp.TextEdit(one.range, "y = y + 12"),)

    for encoding in expected:
        run(talk(encoding))


def test_a_form_feed_ends_no_line(tmp_path: Path) -> None:
    """For an editor; `str.splitlines` thinks otherwise, and texts would drift apart."""
    text = HEAD + "\x0cx = '\u2028'\n" + GATE

    async def talk() -> None:
        async with session(tmp_path) as client:
            uri = address(tmp_path / "gate.py")
            client.open(uri, text)
            (one,) = await client.diagnostics(uri)
            assert one.range.start == lsp.Position(6, 4)
            span = lsp.Range(lsp.Position(6, 4), lsp.Position(6, 13))
            client.change(uri, 2, lsp.TextDocumentContentChangePartial(span, "y = y + bias"))
            assert await client.diagnostics(uri, 2) == []

    run(talk())


def test_fixes_are_what_the_command_makes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = HEAD + GATE + "\n\n" + SAFE + "c = 1  # inplace-lint: ignore[IPL101]\n"
    (tmp_path / "safe.py").write_text(text)
    (tmp_path / "unsafe.py").write_text(text)
    monkeypatch.chdir(tmp_path)
    main(["check", "--fix", "safe.py"])
    main(["check", "--fix", "--unsafe-fixes", "unsafe.py"])

    async def talk() -> None:
        async with session(tmp_path) as client:
            uri = address(tmp_path / "model.py")
            client.open(uri, text, 3)
            found = await client.diagnostics(uri, 3)
            assert codes(found) == ["IPL101", "IPL101", "IPL001"]
            assert found[2].tags == (lsp.DiagnosticTag.Unnecessary,)
            (all_safe,) = await client.actions(uri, everywhere(text), "source.fixAll")
            assert all_safe.kind == "source.fixAll.inplace-lint"
            assert applied(text, all_safe.edit, uri, 3) == (tmp_path / "safe.py").read_text()
            fixes = [one for one in await client.actions(uri, everywhere(text)) if "Ignore" not in one.title]
            assert [one.is_preferred for one in fixes] == [None, True, True]
            again = await client.actions(uri, everywhere(text))
            assert [one for one in again if "Ignore" not in one.title] == fixes
            assert "(unsafe: the result's dtype may differ" in fixes[0].title
            assert {one.kind for one in fixes} == {"quickfix"}
            fixed = text
            for one in fixes[::-1]:
                fixed = applied(fixed, one.edit, uri, 3)
            assert fixed == (tmp_path / "unsafe.py").read_text()
            assert not await client.actions(uri, everywhere(text), "refactor")

    run(talk())


def test_a_finding_can_be_ignored_by_a_comment(tmp_path: Path) -> None:
    text = HEAD + GATE

    async def talk() -> None:
        async with session(tmp_path) as client:
            uri = address(tmp_path / "gate.py")
            client.open(uri, text)
            (one,) = await client.diagnostics(uri)
            _, ignore = await client.actions(uri, one.range)
            text_now = applied(text, ignore.edit, uri, 1)
            assert "    y += bias  # inplace-lint: ignore[IPL101]\n" in text_now
            client.set(uri, 2, text_now)
            assert await client.diagnostics(uri, 2) == []

    run(talk())


def test_a_hover_shows_the_page_and_what_is_known(tmp_path: Path) -> None:
    async def talk() -> None:
        async with session(tmp_path) as client:
            uri = address(tmp_path / "gate.py")
            client.open(uri, HEAD + GATE)
            text = await client.hover(uri, 5, 6)
            assert "**IPL101 saved-result-overwritten**" in text
            assert "#### Why is this bad" in text
            assert "saved by  sigmoid on line 5" in text
            assert await client.hover(uri, 4, 6) == ""
            assert client.answer.capabilities.execute_command_provider.commands == ("inplace-lint.explain",)
            told = await client.workspace_execute_command_async(
                lsp.ExecuteCommandParams("inplace-lint.explain", [uri, 4])
            )
            assert "torch.sigmoid(x)" in str(told)

    run(talk())


def test_a_hover_of_an_editor_without_markdown_has_no_marks(tmp_path: Path) -> None:
    async def talk() -> None:
        async with session(tmp_path, capabilities=lsp.ClientCapabilities()) as client:
            uri = address(tmp_path / "gate.py")
            client.open(uri, HEAD + GATE)
            known, _, page = (await client.hover(uri, 5, 6)).rpartition("\n---\n")
            assert known.startswith("IPL101 saved-result-overwritten (error")
            assert "saved by  sigmoid on line 5" in known and "```" not in known
            assert "Why is this bad" in page

    run(talk())


def test_unsaved_files_see_each_other(tmp_path: Path) -> None:
    (tmp_path / "helper.py").write_text("def change(x):\n    return x + 1\n")
    user = (
        "import torch\nfrom helper import change\n\n\na = torch.ones(3, requires_grad=True)\n"
        "b = torch.sigmoid(a)\nchange(b)\nb.sum().backward()\n"
    )
    (tmp_path / "user.py").write_text(user)

    async def talk() -> None:
        async with session(tmp_path) as client:
            helper, uri = address(tmp_path / "helper.py"), address(tmp_path / "user.py")
            client.open(uri, user)
            assert await client.diagnostics(uri) == []
            client.open(helper, (tmp_path / "helper.py").read_text())
            await client.diagnostics(helper)
            client.set(helper, 2, "def change(x):\n    x.add_(1)\n    return x\n")
            (one,) = await client.until(lambda: client.told[uri].diagnostics)
            assert one.range.start.line == 6
            assert helper in {place.location.uri for place in one.related_information or ()}
            client.close(helper)  # nobody saved it: on disk it changes nothing
            await client.until(lambda: not client.told[uri].diagnostics)
            (tmp_path / "helper.py").write_text("def change(x):\n    x.mul_(2)\n    return x\n")
            changed = lsp.FileEvent(helper, lsp.FileChangeType.Changed)
            client.workspace_did_change_watched_files(lsp.DidChangeWatchedFilesParams([changed]))
            await client.until(lambda: client.told[uri].diagnostics)

    run(talk())


def test_the_configuration_is_read_anew_and_a_wrong_one_is_told(tmp_path: Path) -> None:
    configuration = tmp_path / "pyproject.toml"

    async def talk() -> None:
        async with session(tmp_path) as client:
            watched = (
                {one["globPattern"] for one in client.registered[0].register_options["watchers"]}
                if (await client.until(lambda: client.registered))
                and isinstance(client.registered[0].register_options, dict)
                else {"**/pyproject.toml"}
            )
            assert "**/pyproject.toml" in watched
            uri = address(tmp_path / "gate.py")
            client.open(uri, HEAD + GATE)
            assert codes(await client.diagnostics(uri)) == ["IPL101"]

            def write(text: str) -> None:
                configuration.write_text(text)
                changed = lsp.FileEvent(address(configuration), lsp.FileChangeType.Changed)
                client.workspace_did_change_watched_files(lsp.DidChangeWatchedFilesParams([changed]))

            write('[tool.inplace-lint]\nignore = ["IPL101"]\n')
            await client.until(lambda: not client.told[uri].diagnostics)
            write('[tool.inplace-lint]\n\nignore = ["IPL999"]\n')
            await client.until(lambda: client.messages)
            assert "no rule is called `IPL999`" in client.messages[0]
            await client.until(lambda: client.told.get(address(configuration)))
            (wrong,) = client.told[address(configuration)].diagnostics
            assert wrong.range.start.line == 2
            write("[tool.inplace-lint]\n")
            await client.until(lambda: client.told[uri].diagnostics)
            assert not client.told[address(configuration)].diagnostics
            assert len(client.messages) == 1

    run(talk())


def test_files_in_several_folders_and_outside_of_all(tmp_path: Path) -> None:
    one, two, elsewhere = (tmp_path / name for name in ("one", "two", "elsewhere"))
    for folder in (one, two, elsewhere):
        folder.mkdir()
    (two / "inplace-lint.toml").write_text('ignore = ["IPL101"]\n')

    async def talk() -> None:
        async with session(one, two) as client:
            for folder in (one, two, elsewhere):
                client.open(address(folder / "gate.py"), HEAD + GATE)
            client.open("untitled:Untitled-1", HEAD + GATE)
            assert codes(await client.diagnostics(address(one / "gate.py"))) == ["IPL101"]
            assert codes(await client.diagnostics(address(two / "gate.py"))) == []
            assert codes(await client.diagnostics(address(elsewhere / "gate.py"))) == ["IPL101"]
            assert codes(await client.diagnostics("untitled:Untitled-1")) == ["IPL101"]

    run(talk())


def test_what_is_installed_or_excluded_is_passed_over(tmp_path: Path) -> None:
    async def talk() -> None:
        async with session(tmp_path) as client:
            for name in ("build/gate.py", "lib/site-packages/gate.py"):
                uri = address(tmp_path / name)
                client.open(uri, HEAD + GATE)
                assert await client.diagnostics(uri) == []
            client.open(address(tmp_path / "notes.md"), HEAD + GATE, language="markdown")
            uri = address(tmp_path / "broken.py")
            client.open(uri, "def f(:\n")
            assert codes(await client.diagnostics(uri)) == ["IPL000"]
            assert address(tmp_path / "notes.md") not in client.told

    (tmp_path / "pyproject.toml").write_text("[tool.inplace-lint]\n")
    run(talk())


NOTEBOOK = [
    "import torch\na = torch.ones(3, requires_grad=True)",
    "# text",
    "%matplotlib inline\nb = torch.sigmoid(a)",
    "b += 1\nb.sum().backward()",
]


def test_a_notebook_is_checked_across_its_cells(tmp_path: Path) -> None:
    async def talk() -> None:
        async with session(tmp_path) as client:
            book = address(tmp_path / "book.ipynb")
            uris = [f"{book.replace('file:', 'vscode-notebook-cell:')}#c{number}" for number in range(4)]
            kinds = [
                lsp.NotebookCellKind.Markup if number == 1 else lsp.NotebookCellKind.Code
                for number in range(4)
            ]
            client.notebook_document_did_open(
                lsp.DidOpenNotebookDocumentParams(
                    lsp.NotebookDocument(
                        book,
                        "jupyter-notebook",
                        1,
                        [lsp.NotebookCell(kind, uri) for kind, uri in zip(kinds, uris)],
                    ),
                    [
                        lsp.TextDocumentItem(
                            uri, "markdown" if number == 1 else "python", 1, NOTEBOOK[number]
                        )
                        for number, uri in enumerate(uris)
                    ],
                )
            )
            (one,) = await client.diagnostics(uris[3])
            assert one.range == lsp.Range(lsp.Position(0, 0), lsp.Position(0, 6))
            assert (one.related_information or ())[0].location.uri == uris[2]
            fix, _ = await client.actions(uris[3], one.range)
            assert applied(NOTEBOOK[3], fix.edit, uris[3], 1) == NOTEBOOK[3].replace("+=", "= b +")

            def change(cells: lsp.NotebookDocumentCellChanges, version: int) -> None:
                client.notebook_document_did_change(
                    lsp.DidChangeNotebookDocumentParams(
                        lsp.VersionedNotebookDocumentIdentifier(version, book),
                        lsp.NotebookDocumentChangeEvent(cells=cells),
                    )
                )

            span = lsp.Range(lsp.Position(0, 0), lsp.Position(0, 6))
            text = lsp.NotebookDocumentCellContentChanges(
                lsp.VersionedTextDocumentIdentifier(2, uris[3]),
                [lsp.TextDocumentContentChangePartial(span, "x = 1\nb *= 2")],
            )
            change(lsp.NotebookDocumentCellChanges(text_content=[text]), 2)
            (one,) = await client.diagnostics(uris[3], 2)
            assert one.range.start == lsp.Position(1, 0)
            removed = lsp.NotebookDocumentCellChangeStructure(lsp.NotebookCellArrayChange(2, 1))
            change(lsp.NotebookDocumentCellChanges(structure=removed), 3)
            await client.until(lambda: not client.told[uris[3]].diagnostics)

    run(talk())


def test_what_is_typed_over_is_not_answered(tmp_path: Path) -> None:
    """Only the last of many quick changes is told, or ones whose version is that of their text."""

    async def talk() -> None:
        async with session(tmp_path) as client:
            uri = address(tmp_path / "gate.py")
            client.open(uri, HEAD + GATE)
            for version in range(2, 60):
                client.set(uri, version, HEAD + "\n" * version + GATE)
            where = lsp.HoverParams(lsp.TextDocumentIdentifier(uri), lsp.Position(64, 5))
            pending = client.protocol.send_request_async(lsp.TEXT_DOCUMENT_HOVER, where, "seventh")
            client.protocol.notify(lsp.CANCEL_REQUEST, lsp.CancelParams("seventh"))
            (one,) = await client.diagnostics(uri, 59)
            assert one.range.start.line == 64
            for told in client.all_told:
                assert told.version is not None
                lines = {found.range.start.line for found in told.diagnostics}
                assert lines == {5 + (told.version if told.version > 1 else 0)}
            assert len(client.all_told) < 30, "most were never checked"
            with pytest.raises(Exception, match="cancel"):
                await pending

    run(talk())


def children(pid: int) -> list[int]:
    found = Path(f"/proc/{pid}/task/{pid}/children")
    return [int(word) for word in found.read_text().split()] if found.exists() else []


@pytest.mark.skipif(
    not Path("/proc/self/task").exists(), reason="only Linux tells of child processes like this"
)
def test_a_crash_of_the_analysis_is_told_and_ends_nothing(tmp_path: Path) -> None:
    async def talk() -> None:
        async with session(tmp_path) as client:
            uri = address(tmp_path / "gate.py")
            client.open(uri, HEAD + GATE)
            assert codes(await client.diagnostics(uri)) == ["IPL101"]
            (worker,) = children(client._server.pid)
            os.kill(worker, signal.SIGKILL)
            client.set(uri, 2, HEAD + GATE + "\n")
            assert codes(await client.diagnostics(uri, 2)) == ["IPL101"]
            (worker,) = children(client._server.pid)
            os.kill(worker, signal.SIGSTOP)  # from now on it hangs
            client.set(uri, 3, HEAD + GATE + "\n\n")
            await asyncio.sleep(0.3)
            client.set(uri, 4, HEAD + GATE + "\n\n\n")
            assert codes(await client.diagnostics(uri, 4)) == ["IPL101"]

    run(talk())


def test_two_hundred_edits_leave_nothing_stale(tmp_path: Path) -> None:
    """After each of 200 random edits the findings are those that `check` has for the text."""
    from inplace_lint.engine import pipeline
    from inplace_lint.project import Settings

    rng = random.Random(5)
    pieces = [
        *(
            "    y += bias\n",
            "    y = y + bias\n",
            "    y = torch.tanh(y)\n",
            "    s = '🙂'\n",
            "    y[0] = 0\n",
        ),
        *("    z = y.exp()\n", "    z.mul_(2)\n", "    if x.sum() > 0:\n", "def other(x):\n", "    y = (\n"),
        *("    return y\n", "\n", "    # y += 1\n"),
    ]
    settings = Settings(root=str(tmp_path), notes=True)

    def expected(text: str) -> list[tuple[str, int, str]]:
        found = pipeline.examine(str(tmp_path / "gate.py"), text.encode(), settings)
        return [(one.code, one.location.row - 1, one.message) for one in found]

    async def talk() -> None:
        async with session(tmp_path) as client:
            uri = address(tmp_path / "gate.py")
            text = HEAD + GATE
            client.open(uri, text)
            for version in range(2, 202):
                lines = text.split("\n")
                first = rng.randrange(3, len(lines))
                last = min(first + rng.choice((0, 0, 0, 1, 1, 2)), len(lines) - 1)
                new = rng.choice(pieces) if rng.random() < 0.7 else ""
                span = lsp.Range(lsp.Position(first, 0), lsp.Position(last, 0))
                client.change(uri, version, lsp.TextDocumentContentChangePartial(span, new))
                text = "\n".join([*lines[:first], ""]) + new + "\n".join(lines[last:])
                if version % 4:  # some are waited for, some typed over
                    found = await client.diagnostics(uri, version)
                    told = [(str(one.code), one.range.start.line, one.message) for one in found]
                    assert told == expected(text), text
                if text.count("\n") > 40:
                    text = HEAD + GATE
                    client.set(uri, version, text)
                    await asyncio.sleep(0)

    run(talk())


def test_what_cannot_rest_on_a_change_is_not_checked_again(tmp_path: Path) -> None:
    """Of two projects that are open at once, one is not read anew for each change in the other."""

    async def talk() -> None:
        asked: list[str] = []

        class Asked(Worker):
            async def ask(self, texts: Any, method: str, *arguments: object) -> Checked:
                asked.append(Path(str(arguments[0])).stem)
                return Checked(folders=(str(Path(str(arguments[0])).parent),))

        documents = Documents()
        told: list[str] = []
        checks = Checks(documents, Asked(), lambda document, _: told.append(document.filename))

        async def done() -> None:
            assert checks._task is not None
            await checks._task

        for name in ("one/a", "one/b", "two/c"):
            item = lsp.TextDocumentItem(address(tmp_path / f"{name}.py"), "python", 1, "")
            document = documents.open(item, "")
            assert document is not None
            checks.want(document)
        await done()
        asked.clear()
        changed = documents.change(
            lsp.VersionedTextDocumentIdentifier(2, address(tmp_path / "one/a.py")),
            [lsp.TextDocumentContentChangeWholeDocument("x")],
        )
        assert changed is not None
        checks.want(changed)
        await done()
        assert asked == ["a", "b"]

    run(talk())
