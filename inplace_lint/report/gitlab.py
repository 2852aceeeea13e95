"""GitLab's Code Quality report, which a merge request shows beside its changes and as what it adds and solves."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .findings import advice
from .layout import array
from .places import in_repository, readable

if TYPE_CHECKING:
    from typing import Any

    from .findings import Findings

_SEVERITIES = {"error": "critical", "warning": "major", "note": "info"}


def document(findings: Findings) -> str:
    """The array of all findings; paths are those of the repository."""
    return array(_issue(findings, index) for index in range(len(findings.diagnostics))) + "\n"


def _issue(findings: Findings, index: int) -> dict[str, Any]:
    one = findings.diagnostics[index]
    body = [f"{head} {words}" for head, words in advice(one)]
    places = [one.location, *(label.location for label in one.labels)]
    lines = [
        {
            "path": readable(in_repository(place.filename, "CI_PROJECT_DIR")),
            "lines": {"begin": place.row, "end": place.end_row},
        }
        for place in places
    ]
    return {
        "type": "issue",
        "check_name": one.code,
        "description": readable(f"{one.name}: {findings.message(index)}"),
        **({"content": {"body": readable("\n\n".join(body))}} if body else {}),
        "categories": ["Performance" if one.code.startswith(("IPL3", "IPL4")) else "Bug Risk"],
        "severity": _SEVERITIES[findings.severity(index)],
        # Stays the same while the lines of the finding do: by it GitLab knows what is new.
        "fingerprint": findings.fingerprints[index],
        "location": lines[0],
        "other_locations": lines[1:],
    }
