"""Findings as JSON: one array. Every other program reads these fields."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..checks import registry
from ..model import Diagnostic, Fix, Location
from ..project.paths import relative
from .layout import array
from .source import Sources

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from .findings import Findings


def document(findings: Findings) -> str:
    """The whole array, a line for each finding."""
    return array(record(findings, index) for index in range(len(findings.diagnostics))) + "\n"


def record(findings: Findings, index: int) -> dict[str, Any]:
    """A finding as the object that JSON shows. Rows and columns start at 1, columns count characters."""
    diagnostic = findings.diagnostics[index]
    row = {
        "code": diagnostic.code,
        "name": diagnostic.name,
        "severity": diagnostic.severity,
        "confidence": diagnostic.confidence,
        "message": diagnostic.message,
        "filename": diagnostic.location.filename,
        "cell": diagnostic.location.cell,
        **_places(diagnostic.location),
        "labels": [
            {
                "role": label.role,
                "message": label.message,
                "filename": label.location.filename,
                "cell": label.location.cell,
                **_places(label.location),
            }
            for label in diagnostic.labels
        ],
        "fix": _fix(diagnostic.fix),
        "fix_refused": diagnostic.fix_refused,
        "fingerprint": findings.fingerprints[index],
        "url": registry.published(diagnostic.code),
    }
    return row if findings.verdicts is None else {**row, "verdict": findings.verdict(index)}


def fingerprints(
    diagnostics: Sequence[Diagnostic], sources: Sources, root_of: Callable[[str], str]
) -> list[str]:
    """A name for each finding that survives moved lines.

    It hashes the code, the file's path below the project's root, the text of the finding's line and of its
    labels' lines, and a count that tells equal ones in one file apart.
    """
    from hashlib import blake2b

    seen: dict[tuple[str, ...], int] = {}
    prints = []
    for diagnostic in diagnostics:
        spoken = (diagnostic.location, *(label.location for label in diagnostic.labels))
        places = [place.within or place for place in spoken]
        filename = diagnostic.location.filename
        key = (
            diagnostic.code,
            relative(filename, root_of(filename)),
            *(sources.line(place.path, place.row).strip() for place in places),
        )
        count = seen[key] = seen.get(key, -1) + 1
        text = "\0".join((*key, str(count)))
        prints.append(blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest())
    return prints


def _places(location: Location) -> dict[str, dict[str, int]]:
    return {
        "location": {"row": location.row, "column": location.column},
        "end_location": {"row": location.end_row, "column": location.end_column},
    }


def _fix(fix: Fix | None) -> dict[str, Any] | None:
    if fix is None:
        return None
    edits = [{"content": edit.content, **_places(edit.location)} for edit in fix.edits]
    return {"applicability": fix.applicability, "message": fix.message, "edits": edits}
