"""IPL107: a call with `out=` in grad mode while an input requires grad, which raises."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import places
from .immediate import diagnostic

if TYPE_CHECKING:
    from ..hazards.finding import Finding
    from ..model import Diagnostic
    from ..syntax.module import Module

CODE = "IPL107"


def check(module: Module, finding: Finding) -> Diagnostic | None:
    subject = places.target(module, finding)
    return diagnostic(
        module,
        finding,
        CODE,
        f"{subject} is given as `out=` while gradients are recorded for the inputs",
        "out= has no derivative: this raises",
        "made here",
        "assign the result instead of passing `out=`, or compute it under `with torch.no_grad():`",
    )
