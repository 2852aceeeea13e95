"""One line a finding, which editors and grep understand."""

from __future__ import annotations

from ..model import Diagnostic
from .style import Style, safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


def render(diagnostics: Iterable[Diagnostic], style: Style) -> str:
    """`path:row:column: error[CODE] message (saved at row:column)`."""
    return "".join(_line(diagnostic, style) for diagnostic in diagnostics)


def _line(diagnostic: Diagnostic, style: Style) -> str:
    place = diagnostic.location
    head = style.paint(f"{diagnostic.severity}[{diagnostic.code}]", diagnostic.severity)
    save = next((label.location for label in diagnostic.labels if label.role == "save"), None)
    where = ""
    if save is not None:
        file = "" if save.filename == place.filename else f"{save.filename}:"
        where = f" (saved at {file}{save.row}:{save.column})"
    plan = diagnostic.plan if diagnostic.fix_refused is None else None
    mark = "[*] " if plan is not None and plan.applicability == "safe" else ""
    start = style.paint(safe(place.filename), "bold")
    return f"{start}:{place.row}:{place.column}: {head} {mark}{safe(diagnostic.message + where)}\n"
