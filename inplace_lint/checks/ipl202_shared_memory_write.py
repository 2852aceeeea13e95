"""IPL202: a write to a saved tensor through a NumPy array or another tensor over the same memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .silent import silently

if TYPE_CHECKING:
    from ..hazards.finding import Finding
    from ..model import Diagnostic
    from ..syntax.module import Module

CODE = "IPL202"


def check(module: Module, finding: Finding) -> Diagnostic | None:
    return silently(
        module,
        finding,
        CODE,
        "through memory that it shares with something else",
        "the memory is shared from here on",
        "give one side a copy of its own: `torch.tensor(array)`, `tensor.clone()`, `array.copy()`",
    )
