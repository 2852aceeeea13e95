"""Lines as pylint's `parseable` format has them, which Jenkins and older editors read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .style import safe

if TYPE_CHECKING:
    from .findings import Findings


def entry(findings: Findings, index: int) -> str:
    """`path:row: [CODE(name), ] message`."""
    one = findings.diagnostics[index]
    place = f"{safe(one.location.filename)}:{one.location.row}"
    return f"{place}: [{one.code}({one.name}), ] {safe(findings.message(index))}\n"
