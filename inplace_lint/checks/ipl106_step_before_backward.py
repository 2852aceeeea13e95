"""IPL106: an optimizer step between a forward that saved parameters and the backward of that forward."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import places
from .saved import describe_save

if TYPE_CHECKING:
    from ..hazards.finding import Finding
    from ..model import Diagnostic
    from ..syntax.module import Module

CODE = "IPL106"


def check(module: Module, finding: Finding) -> Diagnostic | None:
    if not finding.saves:
        return None
    labels = [places.label("save", describe_save(s), s.place) for s in finding.saves[:2]]
    if finding.write is not None:
        labels.append(places.label("write", f"{finding.op} writes the parameters here", finding.write))
    return places.at_write(
        module,
        finding,
        CODE,
        "error",
        f"{finding.op} changes parameters that a forward pass saved and whose backward comes later",
        labels,
        caption="the parameters change here, in place",
        help="call every backward that goes through these parameters before the step, or run the forward pass again; "
        "a state that lives on through steps needs `.detach()` between them",
    )
