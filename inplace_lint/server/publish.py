"""Converts findings to LSP diagnostics: severity, related places, and unused code that is faded out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types as lsp

from ..checks import registry
from ..model import Location
from ..report.findings import steps

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..model import Diagnostic

    #: Where a place is for the client; None where it cannot be shown.
    Place = Callable[[Location], lsp.Location | None]

#: By whom findings are said to be.
SOURCE = "inplace-lint"
_SEVERITIES = {
    "error": lsp.DiagnosticSeverity.Error,
    "warning": lsp.DiagnosticSeverity.Warning,
    "note": lsp.DiagnosticSeverity.Hint,
}


class Abilities:
    """What of all this the client can show."""

    def __init__(self, capabilities: lsp.ClientCapabilities) -> None:
        text = capabilities.text_document or lsp.TextDocumentClientCapabilities()
        told = text.publish_diagnostics or lsp.PublishDiagnosticsClientCapabilities()
        edits = (capabilities.workspace and capabilities.workspace.workspace_edit) or None
        content = (text.hover and text.hover.content_format) or ()
        watched = capabilities.workspace and capabilities.workspace.did_change_watched_files
        #: places besides a finding's own
        self.related = bool(told.related_information)
        self.faded = bool(told.tag_support)
        self.pages = bool(told.code_description_support)
        self.versioned_edits = bool(edits and edits.document_changes)
        self.markdown = lsp.MarkupKind.Markdown in content
        self.watching = bool(watched and watched.dynamic_registration)
        self.literal_actions = bool(text.code_action and text.code_action.code_action_literal_support)


def diagnostic(one: Diagnostic, place: Place, abilities: Abilities) -> lsp.Diagnostic | None:
    """A finding with its other places, in the order of execution; None where it has no place for the client."""
    own = place(one.location)
    if own is None:
        return None
    related, told = [], [one.message]
    for step in steps(one):
        where = None if step.own else place(step.location)
        if where is None:
            continue
        related.append(lsp.DiagnosticRelatedInformation(where, step.message))
        if not abilities.related:
            file = "" if where.uri == own.uri else f"{step.location.path}, "
            told.append(f"{file}line {step.location.row}: {step.message}")
    page = registry.published(one.code) if abilities.pages else ""
    unused = one.code == "IPL001" and abilities.faded
    return lsp.Diagnostic(
        own.range,
        "\n".join(told),
        _SEVERITIES[one.severity],
        one.code,
        lsp.CodeDescription(page) if page else None,
        SOURCE,
        [lsp.DiagnosticTag.Unnecessary] if unused else None,
        related if related and abilities.related else None,
    )


def trouble(message: str) -> lsp.Diagnostic:
    """What is said at the head of a file that was not checked."""
    head = lsp.Range(lsp.Position(0, 0), lsp.Position(0, 1))
    return lsp.Diagnostic(head, message, lsp.DiagnosticSeverity.Error, code="IPL002", source=SOURCE)


def configuration(line: int, message: str) -> lsp.Diagnostic:
    """What is wrong with a line (from 1) of a configuration file."""
    row = lsp.Range(lsp.Position(line - 1, 0), lsp.Position(line, 0))
    return lsp.Diagnostic(row, message, lsp.DiagnosticSeverity.Error, source=SOURCE)
