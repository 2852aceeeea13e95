"""Defines a verdict, combines several, and tells whether a line that ran belongs to a finding."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

#: `status` is confirmed, refuted, spurious or inconclusive; `reason`, `inputs`, `device`, `conflicts`, `peak`, `proof`.
Verdict = dict[str, Any]
#: Part of the names of stages in which a program of the user's file runs, and the stage at which a job ends after such
#: programs, because what they left undecided is to be run in a process that they have not touched.
BY_PROGRAM, LEFT = "run of ", "the end of the programs"
#: Part of the names of stages in which inputs are varied, for lines that no run so far has reached.
VARIED = "other inputs"
#: A file with a first and a last row.
Span = Sequence[Any]


def verdict(
    status: str,
    reason: str,
    inputs: Mapping[str, str] | None = None,
    device: str | None = None,
    conflicts: Sequence[dict[str, Any]] = (),
    peak: dict[str, Any] | None = None,
    proof: dict[str, Any] | None = None,
) -> Verdict:
    """Builds a verdict in its JSON form."""
    return {
        "status": status,
        "reason": reason,
        "inputs": dict(inputs or {}),
        "device": device,
        "conflicts": list(conflicts),
        "peak": peak,
        "proof": proof,
    }


def undecided(reason: str) -> Verdict:
    """Returns an inconclusive verdict."""
    return verdict("inconclusive", reason)


def best(verdicts: Sequence[Verdict]) -> Verdict:
    """Returns the first verdict that is not inconclusive, else the last."""
    return next((one for one in verdicts if one["status"] != "inconclusive"), verdicts[-1])


def hits(rows: Sequence[tuple[str, int]], places: Sequence[Span]) -> bool:
    """Whether one of these rows lies in one of the places."""
    return any(file == name and first <= row <= last for file, row in rows for name, first, last in places)


def place_of(places: Sequence[Span]) -> str:
    """Returns the first place as `model.py:12`."""
    return f"{shown(places[0][0])}:{places[0][1]}" if places else "an unknown place"


def shown(file: str) -> str:
    """Returns a file's name for display, as `project.paths.shown` does."""
    from ..project.paths import shown

    return shown(file)
