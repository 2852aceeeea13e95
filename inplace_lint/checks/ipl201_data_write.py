"""IPL201: a saved tensor written by a way that moves no version counter: `.data`, its storage, `apply_`."""

from __future__ import annotations

from .silent import silently

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..analysis.findings import Finding
    from ..model import Diagnostic
    from ..syntax.module import Module

CODE = "IPL201"


def check(module: Module, finding: Finding) -> Diagnostic | None:
    if finding.kind != "data":
        return None
    return silently(
        module,
        finding,
        CODE,
        "by a way that moves no version",
        "what is written from here on moves no version",
        "make a new tensor, or write after backward; under `torch.no_grad()` the same write is noticed",
    )
