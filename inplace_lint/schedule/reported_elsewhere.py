"""Drops findings at a call that are already reported in the file of the called function.

A function that saves and then overwrites its argument is wrong by itself if its own file shows that gradients come
there: by weights of its own, or by a caller in that file. Then the call adds nothing to the report.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..interp.program import Program
from .analyze import gathered, roots

if TYPE_CHECKING:
    import ast

    from ..hazards.finding import Finding
    from ..syntax.module import Module


def without_those_told_elsewhere(program: Program, findings: list[Finding]) -> list[Finding]:
    """The findings without those that another file reports. Called last, since it runs other files."""
    told: dict[Module, set[ast.AST]] = {}
    kept = []
    for finding in findings:
        files = dict.fromkeys(function.module for function in finding.beneath)
        if files and not finding.is_shown():
            continue  # a finding too weak to be shown, in another file
        for there in files:
            if there not in told:
                told[there] = _written(program, there)
        if not any(finding.write is not None and finding.write.at in told[there] for there in files):
            kept.append(finding)
    return kept


def _written(program: Program, module: Module) -> set[ast.AST]:
    """The nodes of the writes that the shown findings of a file are about."""
    other = Program(program.files.project, program.prefilter)
    found = [one for one in gathered(module, other, roots(module, other)) if one.is_shown()]
    written = {place.at for one in found for place in (*one.writes, *([one.write] if one.write else ()))}
    other.close()
    return written | {one.at for one in found}
