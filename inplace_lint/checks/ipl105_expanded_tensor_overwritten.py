"""IPL105: an in-place write to an expanded tensor, whose elements share storage: `x.expand(4, 3).add_(1)`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import places
from .immediate import diagnostic

if TYPE_CHECKING:
    from ..hazards.finding import Finding
    from ..model import Diagnostic
    from ..syntax.module import Module

CODE = "IPL105"


def check(module: Module, finding: Finding) -> Diagnostic | None:
    subject = places.target(module, finding)
    return diagnostic(
        module,
        finding,
        CODE,
        f"{subject} was expanded, so that its elements share memory, and is changed in place",
        f"{finding.op} raises, or writes more than it says",
        "expanded here",
        "write to a `.clone()` of the expanded tensor",
    )
