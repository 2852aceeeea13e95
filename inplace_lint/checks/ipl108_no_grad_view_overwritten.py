"""IPL108: an in-place write, in grad mode, to a view that was made under no_grad or by a custom Function."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import places
from .immediate import diagnostic

if TYPE_CHECKING:
    from ..hazards.finding import Finding
    from ..model import Diagnostic
    from ..syntax.module import Module

CODE = "IPL108"


def check(module: Module, finding: Finding) -> Diagnostic | None:
    subject = places.target(module, finding)
    if finding.used:
        return diagnostic(
            module,
            finding,
            CODE,
            "a view that was made without recording gradients is used after its base was changed in place",
            f"{finding.op} raises here",
            "the view is made here",
            "use the view before the base is changed, or change the base out of place",
        )
    return diagnostic(
        module,
        finding,
        CODE,
        f"{subject} is a view that was made without recording gradients, and is changed in place with grad mode on",
        f"{finding.op} raises here",
        "the view is made here",
        "make the view where gradients are recorded, or write it under `with torch.no_grad():`",
    )
