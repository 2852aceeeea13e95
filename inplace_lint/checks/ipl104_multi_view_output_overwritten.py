"""IPL104: an in-place write to one of the views that chunk, split, unbind or iteration returns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import places
from .immediate import diagnostic

if TYPE_CHECKING:
    from ..hazards.finding import Finding
    from ..model import Diagnostic
    from ..syntax.module import Module

CODE = "IPL104"


def check(module: Module, finding: Finding) -> Diagnostic | None:
    subject = places.target(module, finding)
    if finding.used:
        return diagnostic(
            module,
            finding,
            CODE,
            "one of several views that one op returned is used after its base was changed in place",
            f"{finding.op} raises here",
            "the view is made here",
            "use the view before the base is changed, or change the base out of place",
        )
    return diagnostic(
        module,
        finding,
        CODE,
        f"{subject} is one of several views that one op returned, and is changed in place",
        f"{finding.op} raises here",
        "the views are made here",
        "use the out-of-place form, or index the base instead of unpacking it",
    )
