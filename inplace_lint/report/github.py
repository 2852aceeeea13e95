"""Workflow commands that GitHub Actions turns into annotations beside the lines of a change."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .findings import advice
from .places import in_repository
from .style import safe

if TYPE_CHECKING:
    from .findings import Findings


def entry(findings: Findings, index: int) -> str:
    """One `::error file=…::message` a finding; notes, and what a run has cleared, are notices."""
    diagnostic, severity = findings.diagnostics[index], findings.severity(index)
    place = diagnostic.location
    level = "notice" if severity == "note" else severity
    properties = {
        "title": f"inplace-lint ({diagnostic.code})",
        "file": in_repository(place.filename, "GITHUB_WORKSPACE"),
        "line": place.row,
        "endLine": place.end_row,
    }
    if place.row == place.end_row:  # GitHub takes columns only within one line
        properties |= {"col": place.column, "endColumn": place.end_column}
    listed = ",".join(f"{key}={_property(str(value))}" for key, value in properties.items())
    lines = [f"{place.within or place}: {diagnostic.code} {findings.message(index)}"]
    for label in diagnostic.labels:
        at = label.location
        lines.append(f"{label.role}: {at.within or at}: {label.message}")
    lines += [f"{head} {words}" for head, words in advice(diagnostic)]
    return f"::{level} {listed}::{'%0A'.join(map(_text, lines))}\n"


def quoted(text: str) -> str:
    """Text that is no report, such as a diff, so that no line of it is taken for a command."""
    from secrets import token_hex

    token = token_hex(16)
    return f"::stop-commands::{token}\n{text}::{token}::\n"


def _text(line: str) -> str:
    return safe(line).replace("%", "%25")


def _property(text: str) -> str:
    """A file's name stands as it is: GitHub compares it."""
    text = text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    text = text.replace(":", "%3A").replace(",", "%2C")
    return text if text.isprintable() else safe(text)
