"""Renders a finding for people: a headline, then a source frame for each place it refers to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .findings import advice
from .frame import Span, draw
from .style import safe

if TYPE_CHECKING:
    from .findings import Findings, Verdict


def entry(findings: Findings, index: int) -> str:
    """One finding: its own file or cell first, then each other of a label, then the advice and the verdict."""
    diagnostic, style = findings.diagnostics[index], findings.style
    severity = diagnostic.severity
    spans = [Span(diagnostic.location, diagnostic.caption, severity)]
    spans += [Span(label.location, label.message, "frame") for label in diagnostic.labels]
    files: dict[str, list[Span]] = {}
    for span in spans:
        files.setdefault(span.location.path, []).append(span)
    width = len(str(max(span.location.end_row for span in spans)))
    margin = " " * (width + 2)
    head = style.paint(f"{severity}[{diagnostic.code}]", severity)
    lines = [f"{head} {style.paint(safe(f'{diagnostic.name}: {diagnostic.message}'), 'bold')}"]
    for path, group in files.items():
        place = f"{safe(path)}:{group[0].location.row}:{group[0].location.column}"
        drawn = draw(group, findings.sources, style, width)
        # Where there is no text to draw on, the captions alone are said.
        said = "" if drawn else "".join(f": {span.caption}" for span in group if span.caption)
        lines.append(" " * (width + 1) + style.paint("-->", "frame") + f" {place}{said}")
        if drawn:
            lines += [margin + style.paint("|", "frame"), *drawn]
    remark = findings.remark(index)
    told = advice(diagnostic) + ([("note:", remark)] if remark else [])
    if told and len(lines) > 2:
        lines.append(margin + style.paint("|", "frame"))
    for head, words in told + _verdict(findings.verdict(index)):
        lines += [margin + style.paint("=", "frame") + f" {style.paint(head, 'bold')} {safe(words)}"]
    return "\n".join(line.rstrip() for line in lines) + "\n\n"


def _verdict(verdict: Verdict | None) -> list[tuple[str, str]]:
    if verdict is None:
        return []
    lines = [("verdict:", f"{verdict['status']}: {verdict['reason']}")]
    inputs = ", ".join(f"{name}={value}" for name, value in verdict["inputs"].items())
    return [*lines, ("inputs:", f"{inputs} on {verdict['device']}")] if inputs else lines
