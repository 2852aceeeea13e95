"""IPL205: a function changes a tensor of its caller in place, and returns it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import places

if TYPE_CHECKING:
    from ..hazards.finding import Finding
    from ..model import Diagnostic
    from ..syntax.module import Module

CODE = "IPL205"


def check(module: Module, finding: Finding) -> Diagnostic | None:
    subject = places.target(module, finding)
    what = "changed in place" if finding.meant else "changed in place and returned"
    return places.at_write(
        module,
        finding,
        CODE,
        "note" if finding.meant else "warning",
        f"{subject} is a tensor of the caller, and is {what}",
        caption="the caller's tensor changes here",
        help="make a new tensor, or say what the function does: return nothing, or end its name in an underscore",
    )
