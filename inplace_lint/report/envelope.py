"""Reports findings as one JSON object: the findings, the files checked, the counts, and what was cut short."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .. import __version__
from .layout import mapping
from .records import record

if TYPE_CHECKING:
    from typing import Any

    from ..model import Diagnostic
    from .findings import Findings

#: Goes up when a field goes away or changes its meaning; a new field is no new version.
VERSION = 2


def document(findings: Findings) -> str:
    """The whole object, a line for each finding."""
    head = {"version": VERSION, "tool": {"name": "inplace-lint", "version": __version__}}
    parts = {**head, "summary": _summary(findings), "incomplete": _incomplete(findings)}
    rows = (record(findings, index) for index in range(len(findings.diagnostics)))
    return mapping(parts, "findings", rows) + "\n"


def _summary(findings: Findings) -> dict[str, Any]:
    found = findings.diagnostics
    codes: dict[str, int] = {}
    for one in found:
        codes[one.code] = codes.get(one.code, 0) + 1
    told: dict[str, Any] = {
        "files": len(findings.files),
        "findings": len(found),
        **{f"{name}s": sum(one.severity == name for one in found) for name in ("error", "warning", "note")},
        "fixable": {
            kind: sum(one.fix is not None and one.fix.applicability == kind for one in found)
            for kind in ("safe", "unsafe")
        },
        "silenced": findings.silenced,
        "in_baseline": findings.listed,
        "codes": dict(sorted(codes.items())),
    }
    if findings.verdicts is not None:
        statuses = [one["status"] for one in findings.verdicts.values()]
        told["verdicts"] = {status: statuses.count(status) for status in sorted(set(statuses))}
    return told


def _incomplete(findings: Findings) -> dict[str, Any]:
    """What was not read, not checked, or not checked to its end: of that, no finding says nothing."""

    def places(code: str) -> list[dict[str, Any]]:
        return [_place(one) for one in findings.diagnostics if one.code == code]

    return {
        "unreadable": places("IPL000"),
        "failed": places("IPL002"),
        "cut_short": places("IPL003"),
        "ended_by": findings.ended or None,
    }


def _place(one: Diagnostic) -> dict[str, Any]:
    place = one.location
    return {
        "filename": place.filename,
        "cell": place.cell,
        "location": {"row": place.row, "column": place.column},
        "message": one.message,
    }
