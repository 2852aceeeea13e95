"""Builds the summary of a declared function (`# inplace-lint: writes(x)`) from its declaration, not its body."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .atoms import EVERYWHERE, RESULT, Box, Cell, Store
from .summary import Summary

if TYPE_CHECKING:
    from ..project.declarations import Declaration


def told(said: Declaration, seen: Summary) -> Summary:
    """The summary that the declaration `said` gives; from the body's summary `seen` only its suspicion is kept."""
    summary = Summary()
    summary.suspicious = seen.suspicious
    summary.writes = set(said.written())
    summary.recorded = set() if said.no_grad else set(said.writes)
    summary.tensors = {*said.named()}
    summary.saves = set(said.kept())
    kept = len(summary.saves) < len(said.saves)
    results = []
    for kind, of in said.returns:
        new = Store(not (said.detaches or said.no_grad), tensor=kind != "unknown")
        if kept:
            new.saved = ((EVERYWHERE, RESULT),)
        given = [Cell(Store(given=of, tensor=True))] if of else []
        if given and kept:
            summary.saves.add(of)
        results.append((*given, *([] if kind in ("same", "view", "no_tensor") else [Cell(new)])))
    summary.returns = results[0] if len(results) == 1 else (Box(list(results)),)
    return summary
