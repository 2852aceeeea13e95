"""One line a finding, which editors and grep understand."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .style import safe

if TYPE_CHECKING:
    from .findings import Findings


def entry(findings: Findings, index: int) -> str:
    """`path:row:column: error[CODE] message (saved at row:column)`, and the verdict of a run."""
    diagnostic, style = findings.diagnostics[index], findings.style
    place = diagnostic.location
    head = style.paint(f"{diagnostic.severity}[{diagnostic.code}]", diagnostic.severity)
    save = next((label.location for label in diagnostic.labels if label.role == "save"), None)
    where = ""
    if save is not None:
        file = "" if save.path == place.path else f"{save.path}:"
        if save.cell is not None and save.filename == place.filename and file:
            file = f"cell {save.cell}:"
        where = f" (saved at {file}{save.row}:{save.column})"
    plan = diagnostic.plan if diagnostic.fix_refused is None else None
    mark = "[*] " if plan is not None and plan.applicability == "safe" else ""
    start = style.paint(safe(place.path), "bold")
    judged = findings.judged(index)
    said = diagnostic.message + where + (f" [{judged}]" if judged else "")
    return f"{start}:{place.row}:{place.column}: {head} {mark}{safe(said)}\n"
