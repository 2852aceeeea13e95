"""What the rules for errors raised at once share: one place that raises, one place that made it so."""

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
    """A diagnostic at the write, with a label at the cause (where that is in sight) and at the inner write."""
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
