"""What may be done about findings: their fixes, comments that ignore them, all safe fixes of a file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types as lsp

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ..model import Diagnostic, Edit
    from .documents import Document, Part

#: All fixes that change nothing of what the program computes.
FIX_ALL = f"{lsp.CodeActionKind.SourceFixAll.value}.inplace-lint"
KINDS = (lsp.CodeActionKind.QuickFix, FIX_ALL)


def wanted(kind: str, only: Sequence[lsp.CodeActionKind | str] | None) -> bool:
    """Whether a client asks for this kind of action."""
    if not only:
        return kind == lsp.CodeActionKind.QuickFix  # what changes a whole file is only given to who names it
    names = [getattr(one, "value", one) for one in only]
    return any(name in ("", kind) or kind.startswith(f"{name}.") for name in names)


def title(one: Diagnostic) -> str:
    """What a fix does, and in what the fixed program may differ."""
    assert one.plan is not None
    text = one.plan.message[:1].upper() + one.plan.message[1:]
    if one.plan.applicability == "safe":
        return text
    return f"{text} (unsafe: {'; '.join(one.plan.differences)})"


def quick_fix(one: Diagnostic, shown: lsp.Diagnostic | None, edit: lsp.WorkspaceEdit) -> lsp.CodeAction:
    """The fix of one finding; one that is safe is preferred."""
    assert one.plan is not None
    safe = one.plan.applicability == "safe"
    about = [shown] if shown else None
    return lsp.CodeAction(
        title(one), lsp.CodeActionKind.QuickFix, about, is_preferred=safe or None, edit=edit
    )


def ignore(one: Diagnostic, shown: lsp.Diagnostic | None, edit: lsp.WorkspaceEdit) -> lsp.CodeAction:
    """A comment that ignores one finding."""
    about = [shown] if shown else None
    return lsp.CodeAction(
        f"Ignore {one.code} here, by a comment", lsp.CodeActionKind.QuickFix, about, edit=edit
    )


def fix_all(edit: lsp.WorkspaceEdit) -> lsp.CodeAction:
    """All safe fixes of a file."""
    return lsp.CodeAction("Make all safe fixes of inplace-lint", FIX_ALL, edit=edit)


def workspace_edit(document: Document, edits: Iterable[Edit], versioned: bool) -> lsp.WorkspaceEdit | None:
    """Edits of a document, for the version of it that they were made for; None where there are none."""
    parts: dict[str, tuple[Part, list[lsp.TextEdit]]] = {}
    for edit in edits:
        part = document.part(edit.location.cell)
        if part is None:
            return None
        made = lsp.TextEdit(part.text.range(edit.location), edit.content)
        parts.setdefault(part.uri, (part, []))[1].append(made)
    if not parts:
        return None
    if not versioned:
        return lsp.WorkspaceEdit(changes={uri: made for uri, (_, made) in parts.items()})
    return lsp.WorkspaceEdit(
        document_changes=[
            lsp.TextDocumentEdit(lsp.OptionalVersionedTextDocumentIdentifier(uri, part.version), made)
            for uri, (part, made) in parts.items()
        ]
    )
