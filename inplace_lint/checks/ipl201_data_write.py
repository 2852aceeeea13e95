"""IPL201: a write to a saved tensor that does not bump its version counter: through `.data`, its storage, `apply_`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..hazards.finding import POSSIBLE
from . import places
from .silent import silently

if TYPE_CHECKING:
    from ..hazards.finding import Finding
    from ..model import Diagnostic
    from ..syntax.module import Module

CODE = "IPL201"


def check(module: Module, finding: Finding) -> Diagnostic | None:
    if finding.kind == "hidden":
        if finding.confidence == POSSIBLE:
            return None
        return places.at_write(
            module,
            finding,
            CODE,
            "note",
            f"{places.target(module, finding)} hides this change from PyTorch's check of what was saved",
            caption="nothing that is still needed is seen to be saved here: the change does no harm now",
            help="write it under `with torch.no_grad():`, where a save that comes later is noticed",
        )
    return silently(
        module,
        finding,
        CODE,
        "in a way that its version counter does not see",
        "what is written from here on moves no version counter",
        "make a new tensor, or write after backward; under `torch.no_grad()` the same write is noticed",
    )
