"""IPL206: an in-place write to a temporary copy, which is lost: `x[mask].fill_(0)`."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from . import places

if TYPE_CHECKING:
    from ..hazards.finding import Finding
    from ..model import Diagnostic
    from ..syntax.module import Module

CODE = "IPL206"


def check(module: Module, finding: Finding) -> Diagnostic | None:
    if finding.cause is None:
        return None
    what = "copy" if isinstance(finding.cause.at, ast.Subscript) else "new tensor"
    return places.at_write(
        module,
        finding,
        CODE,
        "warning",
        f"{places.text(module, finding.cause.at)} is a {what} that nothing holds, and what is written to it is lost",
        (places.label("alias", f"a {what}", finding.cause),),
        caption=f"{finding.op} changes the {what} only",
        help="index the tensor itself (`x[mask] = value`, `x[rows, columns] = value`), or bind the result to a name",
    )
