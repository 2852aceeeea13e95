"""Builds the diagnostics of silent changes (IPL201 to IPL203): a save, and a write that backward does not notice."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ..syntax.nodes import start_of
from . import places
from .saved import describe_save

if TYPE_CHECKING:
    from ..hazards.finding import Finding
    from ..model import Diagnostic
    from ..syntax.module import Module

_MOST_LABELS = 3
_MOST_WRITES = 4


def silently(module: Module, finding: Finding, code: str, how: str, cause: str, help: str) -> Diagnostic:
    """The diagnostic of an unnoticed write; `how` explains it in the message, `cause` labels where it began."""
    strongest = [s for s in finding.saves if s.confidence == finding.confidence]
    first = strongest[0]
    labels = [places.label("save", describe_save(s), s.place) for s in strongest[:_MOST_LABELS]]
    began = finding.cause
    if began is not None and hasattr(began.at, "lineno") and places.row_of(began) != start_of(finding.at)[0]:
        labels.append(places.label("alias", cause, began))
    if finding.write is not None:
        labels += [places.label("write", "written here", place) for place in finding.writes[:_MOST_WRITES]]
    return places.at_write(
        module,
        finding,
        code,
        "error",
        f"{_subject(module, finding)} after {first.op} saved it for backward, {how}",
        labels,
        caption=f"{finding.op}: no error comes, and the gradient is computed from the new values",
        help=help,
    )


def _subject(module: Module, finding: Finding) -> str:
    """What is changed, and that the call does it if the line itself does not show that."""
    if finding.write is not None or finding.passed is not None:
        return f"{places.passed(module, finding)} is changed by this call"
    return f"{_written(module, finding)} is changed"


def _written(module: Module, finding: Finding) -> str:
    """The written tensor in the words of the source; "a tensor" for a call whose write is only a side effect."""
    node = finding.at
    if not isinstance(node, ast.Call):
        return places.written(module, node)
    if isinstance(node.func, ast.Attribute) and node.func.attr == finding.op:
        root = node.func.value
        while isinstance(root, ast.Attribute):
            root = root.value
        if not (isinstance(root, ast.Name) and root.id in module.imports):
            return places.text(module, node.func.value)
    if finding.op.endswith("_") or any(keyword.arg == "out" for keyword in node.keywords):
        return places.written(module, node)
    return "a tensor"
