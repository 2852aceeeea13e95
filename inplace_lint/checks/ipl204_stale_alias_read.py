"""IPL204: a read of a name whose tensor was since changed in place under another name: `old = w; w += 1; w - old`."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from . import places

if TYPE_CHECKING:
    from ..hazards.finding import Finding
    from ..model import Diagnostic
    from ..syntax.module import Module

CODE = "IPL204"


def check(module: Module, finding: Finding) -> Diagnostic | None:
    subject = places.text(module, finding.at)
    labels = () if finding.cause is None else (places.label("write", "changed in place here", finding.cause),)
    message, caption, advice = _words(finding, subject)
    return places.at_write(module, finding, CODE, "warning", message, labels, caption=caption, help=advice)


def _reads(node: ast.AST, name: str) -> bool:
    """Whether an expression mentions a name."""
    return any(isinstance(one, ast.Name) and one.id == name for one in ast.walk(node))


def _words(finding: Finding, subject: str) -> tuple[str, str, str]:
    """(message, caption, advice) for the finding."""
    cause = finding.cause
    if isinstance(finding.at, ast.Name):
        if cause is not None and _reads(cause.at, finding.at.id):
            return (
                f"{subject} is read after it was changed in place",
                "this has the new values too",
                "make the change out of place (a layer without `inplace=True`), or read its result if that is meant",
            )
        return (
            f"{subject} is read after the same tensor was changed in place under another name",
            "this has the new values too",
            "make the change out of place, or keep a `.clone()` of what is read later",
        )
    if isinstance(finding.at, ast.Subscript):
        return (
            f"what goes to {subject} is a view of a place that was overwritten meanwhile",
            "this gets the new values of that place",
            "keep a `.clone()` of what is put elsewhere, or exchange them by a list of indices: "
            "`x[[i, j]] = x[[j, i]]`",
        )
    return (
        "one tensor stands in this list several times, and was changed in place in between",
        "each of its elements has the values of the last change",
        "append a `.clone()`, or make a new tensor in each round",
    )
