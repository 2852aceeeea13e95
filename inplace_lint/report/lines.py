"""Findings as JSON, one object a line, as they become known."""

from __future__ import annotations

import json

from .records import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .findings import Findings


def entry(findings: Findings, index: int) -> str:
    """The object that stands in the array of `json`."""
    return json.dumps(record(findings, index)) + "\n"
