"""IPL203: a write to a saved tensor where PyTorch skips the version check: hooks, checkpoints, fused optimizers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .silent import silently

if TYPE_CHECKING:
    from ..hazards.finding import Finding
    from ..model import Diagnostic
    from ..syntax.module import Module

CODE = "IPL203"


def check(module: Module, finding: Finding) -> Diagnostic | None:
    return silently(
        module,
        finding,
        CODE,
        "where PyTorch does not compare versions",
        "versions are not compared because of this",
        "make a new tensor instead of changing this one, or change it after backward",
    )
