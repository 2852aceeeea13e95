"""Builds diagnostics of writes that raise at once: the place that raises, and the place that makes it raise."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import places

if TYPE_CHECKING:
    from ..hazards.finding import Finding
    from ..model import Diagnostic, Label
    from ..syntax.module import Module


def diagnostic(
    module: Module, finding: Finding, code: str, message: str, caption: str, cause: str, help: str
) -> Diagnostic:
    """A diagnostic at the write, with labels at the cause and, if a callee makes the write, at the actual write."""
    labels: list[Label] = []
    if finding.cause is not None and hasattr(finding.cause.at, "lineno"):
        labels.append(places.label("alias", cause, finding.cause))
    if finding.write is not None:
        labels.append(places.label("write", f"{finding.op} writes it here", finding.write))
    return places.at_write(
        module,
        finding,
        code,
        "error",
        message,
        labels,
        caption=caption,
        help=help,
    )
