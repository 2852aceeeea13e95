"""What the rules for errors raised at once share: one place that raises, one place that made it so."""

from __future__ import annotations

from ..analysis.findings import POSSIBLE
from ..model import CONFIDENCES, Diagnostic
from . import places
from .places import rule_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..analysis.findings import Finding
    from ..model import Label
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
    return Diagnostic(
        code,
        rule_name(code),
        "note" if finding.confidence == POSSIBLE else "error",
        CONFIDENCES[finding.confidence],
        message,
        places.location(module, finding.at),
        tuple(labels),
        caption=caption,
        help=help,
    )
