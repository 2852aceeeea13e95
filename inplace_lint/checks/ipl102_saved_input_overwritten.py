"""IPL102: an op saved its input for backward, then the input was written: `z = y * y; y.add_(1)`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .saved import overwritten

if TYPE_CHECKING:
    from ..hazards.finding import Finding
    from ..model import Diagnostic
    from ..syntax.module import Module

CODE = "IPL102"


def check(module: Module, finding: Finding) -> Diagnostic | None:
    strongest = [s for s in finding.saves if s.confidence == finding.confidence]
    if not strongest or any(s.result for s in strongest):
        return None
    return overwritten(module, finding, CODE, strongest)
