"""IPL301: an in-place op that clones its input for backward in grad mode, so that it saves no memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..hazards.finding import POSSIBLE
from . import places

if TYPE_CHECKING:
    from ..hazards.finding import Finding
    from ..model import Diagnostic
    from ..syntax.module import Module

CODE = "IPL301"


def check(module: Module, finding: Finding) -> Diagnostic | None:
    if finding.confidence == POSSIBLE:
        return None
    subject = places.target(module, finding)
    return places.at_write(
        module,
        finding,
        CODE,
        "note",
        f"{finding.op} clones {subject} for backward: in place it holds as much memory as out of place",
        caption="writes one tensor and keeps a copy of it",
        help="use the out-of-place form; in place pays only where no gradients are recorded",
    )
