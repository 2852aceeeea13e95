"""Reviewdog's Diagnostic Format, from which reviewdog makes comments on a change, with fixes as suggestions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..checks import registry
from ..model import Location
from .findings import advice
from .hunks import Hunk, hunks
from .layout import mapping
from .places import byte_column, readable, slashed

if TYPE_CHECKING:
    from typing import Any

    from .findings import Findings
    from .source import Sources

#: Edits with more lines between them make no suggestion: that is one block of lines, shown as a whole.
_FARTHEST = 30
_SEVERITIES = {"error": "ERROR", "warning": "WARNING", "note": "INFO"}


def document(findings: Findings) -> str:
    """One result with all findings."""
    rows = (_diagnostic(findings, index) for index in range(len(findings.diagnostics)))
    return mapping({"source": {"name": "inplace-lint"}}, "diagnostics", rows) + "\n"


def _diagnostic(findings: Findings, index: int) -> dict[str, Any]:
    one, sources = findings.diagnostics[index], findings.sources
    lines = [findings.message(index), *(f"{head} {words}" for head, words in advice(one))]
    code, address = {"value": one.code}, registry.published(one.code)
    told: dict[str, Any] = {
        "message": readable("\n".join(lines)),
        "location": _location(one.location, sources),
        "severity": _SEVERITIES[findings.severity(index)],
        "code": {**code, "url": address} if address else code,
    }
    if one.labels:
        told["related_locations"] = [
            {"message": readable(label.message), "location": _location(label.location, sources)}
            for label in one.labels
        ]
    changed = [] if one.fix is None else hunks(one.fix, sources, gap=_FARTHEST)
    if len(changed) == 1:  # of several suggestions each may be taken without the others
        told["suggestions"] = [_suggestion(one.location.filename, changed[0], sources)]
    return told


def _suggestion(filename: str, hunk: Hunk, sources: Sources) -> dict[str, Any]:
    last = hunk.row + len(hunk.old) - 1
    whole = Location(filename, hunk.row, 1, last, len(hunk.old[-1]) + 1)
    return {"range": _range(whole, sources), "text": readable("\n".join(hunk.new))}


def _location(place: Location, sources: Sources) -> dict[str, Any]:
    return {"path": readable(slashed(place.filename)), "range": _range(place, sources)}


def _range(place: Location, sources: Sources) -> dict[str, dict[str, int]]:
    """Columns are bytes of UTF-8, from 1, the end is exclusive."""
    return {
        "start": {"line": place.row, "column": byte_column(place, place.row, place.column, sources)},
        "end": {
            "line": place.end_row,
            "column": byte_column(place, place.end_row, place.end_column, sources),
        },
    }
