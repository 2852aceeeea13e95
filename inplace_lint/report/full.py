"""The finding as a person reads it: a headline, and a frame over every place it speaks of."""

from __future__ import annotations

from ..model import Diagnostic
from .frame import Span, draw
from .source import Sources
from .style import Style, safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


def render(diagnostics: Iterable[Diagnostic], sources: Sources, style: Style) -> str:
    """All findings, a blank line after each."""
    return "".join(f"{finding(diagnostic, sources, style)}\n\n" for diagnostic in diagnostics)


def finding(diagnostic: Diagnostic, sources: Sources, style: Style) -> str:
    """One finding: its own file first, then each other file that a label points to, then the advice."""
    severity = diagnostic.severity
    spans = [Span(diagnostic.location, diagnostic.caption, severity)]
    spans += [Span(label.location, label.message, "frame") for label in diagnostic.labels]
    files: dict[str, list[Span]] = {}
    for span in spans:
        files.setdefault(span.location.filename, []).append(span)
    width = len(str(max(span.location.end_row for span in spans)))
    margin = " " * (width + 2)
    head = style.paint(f"{severity}[{diagnostic.code}]", severity)
    lines = [f"{head} {style.paint(safe(f'{diagnostic.name}: {diagnostic.message}'), 'bold')}"]
    for filename, group in files.items():
        place = f"{safe(filename)}:{group[0].location.row}:{group[0].location.column}"
        drawn = draw(group, sources, style, width)
        # Where there is no text to draw on, the captions alone are said.
        said = "" if drawn else "".join(f": {span.caption}" for span in group if span.caption)
        lines.append(" " * (width + 1) + style.paint("-->", "frame") + f" {place}{said}")
        if drawn:
            lines += [margin + style.paint("|", "frame"), *drawn]
    advice = _advice(diagnostic)
    if advice and len(lines) > 2:
        lines.append(margin + style.paint("|", "frame"))
    for head, words in advice:
        lines += [margin + style.paint("=", "frame") + f" {style.paint(head, 'bold')} {safe(words)}"]
    return "\n".join(line.rstrip() for line in lines)


def _advice(diagnostic: Diagnostic) -> list[tuple[str, str]]:
    """The lines of advice: the fix in place of general words, or those words and why there is no fix."""
    plan = diagnostic.plan
    if plan is not None and diagnostic.fix_refused is None:
        differences = "; ".join(plan.differences)
        kind = f"{plan.applicability} fix: {differences}" if differences else f"{plan.applicability} fix"
        return [("help:", f"{plan.message} ({kind})")]
    lines = [("help:", diagnostic.help)] if diagnostic.help else []
    if diagnostic.fix_refused:
        lines.append(("note:", f"no automatic fix: {diagnostic.fix_refused}"))
    return lines
