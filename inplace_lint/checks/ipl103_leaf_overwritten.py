"""IPL103: an in-place write, in grad mode, to a leaf that requires grad or to a view of one: `weight.fill_(0)`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import places
from .immediate import diagnostic

if TYPE_CHECKING:
    from ..hazards.finding import Finding
    from ..model import Diagnostic
    from ..syntax.module import Module

CODE = "IPL103"


def check(module: Module, finding: Finding) -> Diagnostic | None:
    subject = places.target(module, finding)
    return diagnostic(
        module,
        finding,
        CODE,
        f"{subject} is a leaf that requires grad and is changed in place while gradients are recorded",
        f"{finding.op} raises here",
        "the leaf is made here",
        "write it under `with torch.no_grad():`, or make a new tensor",
    )
