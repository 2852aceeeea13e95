"""IPL101: an op saved its own result for backward, then the result was written: `y = x.exp(); y.add_(1)`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .saved import overwritten

if TYPE_CHECKING:
    from ..hazards.finding import Finding
    from ..model import Diagnostic
    from ..syntax.module import Module

CODE = "IPL101"


def check(module: Module, finding: Finding) -> Diagnostic | None:
    results = [s for s in finding.saves if s.result and s.confidence == finding.confidence]
    return overwritten(module, finding, CODE, results) if results else None
