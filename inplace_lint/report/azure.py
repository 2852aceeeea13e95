"""Logging commands of Azure Pipelines, which list findings beside the run and on the lines of a pull request."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from .places import slashed
from .style import safe

if TYPE_CHECKING:
    from .findings import Findings


def entry(findings: Findings, index: int) -> str:
    """`##vso[task.logissue type=error;sourcepath=…]message`; there are errors and warnings, and no notes."""
    one, severity = findings.diagnostics[index], findings.severity(index)
    properties = {
        "type": "error" if severity == "error" else "warning",
        "sourcepath": slashed(os.path.abspath(one.location.filename)),
        "linenumber": str(one.location.row),
        "columnnumber": str(one.location.column),
        "code": one.code,
    }
    listed = "".join(f"{key}={_escaped(value)};" for key, value in properties.items())
    said = findings.message(index)
    for label in one.labels:
        at = label.location
        at, own = at.within or at, one.location.within or one.location
        where = f"line {at.row}" if at.path == own.path else f"{at.path}:{at.row}"
        said += f"; {label.role} at {where}: {label.message}"
    head = "note: " if severity == "note" else ""
    return f"##vso[task.logissue {listed}]{_percent(safe(head + said))}\n"


def quoted(text: str) -> str:
    """Text that is no report, such as a diff, so that no line of it is taken for a command."""
    return text.replace("##vso[", "## vso[").replace("##[", "## [")


def _percent(text: str) -> str:
    # The agent decodes this one, and only this one, before the others.
    return text.replace("%", "%AZP25")


def _escaped(text: str) -> str:
    text = _percent(text).replace("\r", "%0D").replace("\n", "%0A").replace("]", "%5D").replace(";", "%3B")
    return text if text.isprintable() else safe(text)
