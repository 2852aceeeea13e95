"""Writes findings as JSON Lines, each as soon as it is known."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from .records import record

if TYPE_CHECKING:
    from .findings import Findings


def entry(findings: Findings, index: int) -> str:
    """The object that stands in the array of `json`."""
    return json.dumps(record(findings, index)) + "\n"
