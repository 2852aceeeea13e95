"""IPL302: an in-place op that does not exist, or that has no derivative although one is needed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..torchmodel import table
from . import places

if TYPE_CHECKING:
    from ..hazards.finding import Finding
    from ..model import Diagnostic
    from ..syntax.module import Module

CODE = "IPL302"


def check(module: Module, finding: Finding) -> Diagnostic | None:
    if finding.kind == "unknown-op":
        owner, _, name = finding.op.rpartition(".")
        kind = "function" if owner else "method"
        message = f"{owner or 'torch.Tensor'} has no {kind} `{name}`"
        caption, help = "this raises AttributeError", _instead(name)
    else:
        message = f"`{finding.op}` has no derivative, and gradients are recorded for what it changes"
        caption, help = "backward raises NotImplementedError", _instead(finding.op)
    return places.at_write(
        module,
        finding,
        CODE,
        "error",
        message,
        caption=caption,
        help=help,
    )


def _instead(name: str) -> str:
    known = table.get()
    short = name.removesuffix("_")
    if known.method(short) is not None:
        return f"use `{short}` and bind its result"
    near = known.nearest(name)
    return f"did you mean `{near}`?" if near else ""
