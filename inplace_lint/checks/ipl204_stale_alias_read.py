"""IPL204: a name bound before an in-place change that went by another way, and read after it."""

from __future__ import annotations

from . import places

TYPE_CHECKING = False
if TYPE_CHECKING:
    import ast

    from ..analysis.findings import Finding
    from ..model import Diagnostic
    from ..syntax.module import Module
else:
    import _ast as ast

CODE = "IPL204"


def check(module: Module, finding: Finding) -> Diagnostic | None:
    subject = places.text(module, finding.at)
    labels = () if finding.cause is None else (places.label("write", "changed in place here", finding.cause),)
    many = not isinstance(finding.at, ast.Name)
    return places.at_write(
        module,
        finding,
        CODE,
        "warning",
        "one tensor stands in this list several times, and was changed in place in between"
        if many
        else f"{subject} is read after the same tensor was changed in place under another name",
        labels,
        caption="each of its elements has the values of the last change"
        if many
        else "this has the new values too",
        help="append a `.clone()`, or make a new tensor in each round"
        if many
        else "make the change out of place, or keep a `.clone()` of what is read later",
    )
