"""Finds the peak of live bytes of a run and splits it by kind: parameters, gradients, saved for backward, temporary."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from .ledger import Allocation, Ledger
from .lines import Line

#: The kinds of memory, in the order of the tables. The first four live beyond the run or are given to it.
KINDS = ("parameters", "gradients", "optimizer", "inputs", "kept", "temporary")


@dataclass(frozen=True, slots=True)
class Peak:
    """The most bytes alive at once, in all, by kind and by source line; `kept`: bytes the forward left for backward.

    `curve` samples the run as (bytes, phase, line) in order of time; `top` is the index of the peak in it.
    """

    total: int
    phase: str
    kinds: dict[str, int]
    lines: dict[Line | None, int]
    curve: list[tuple[int, str, Line | None]] = field(default_factory=list)
    top: int = 0
    kept: int = 0


def account(ledger: Ledger, kept: Iterable[Allocation], points: int = 600) -> Peak:
    """Computes the peak of a recorded run; `kept` are the allocations alive when its forward ended.

    `points` bounds the samples of the curve, roughly; the peak is always among them.
    """
    curve = ledger.curve
    if not curve:
        return Peak(0, "", dict.fromkeys(KINDS, 0), {})
    top = max(range(len(curve)), key=curve.__getitem__)
    last = {id(allocation) for allocation in kept}
    left = sum(one.size for one in ledger.allocations if id(one) in last and not one.kind)
    kinds = dict.fromkeys(KINDS, 0)
    lines: dict[Line | None, int] = {}
    phase = ""
    for allocation in ledger.allocations:
        if allocation.made == top:
            phase = allocation.phase
        if not allocation.alive_at(top):
            continue
        kind = allocation.kind or ("kept" if id(allocation) in last else "temporary")
        kinds[kind] += allocation.size
        if kind in ("kept", "temporary"):
            lines[allocation.line] = lines.get(allocation.line, 0) + allocation.size
    chosen = [ledger.begun + moment for moment in _chosen(curve[ledger.begun :], top - ledger.begun, points)]
    owners = _owners(ledger)
    return Peak(
        curve[top],
        phase,
        kinds,
        dict(sorted(lines.items(), key=lambda item: -item[1])),
        [(curve[moment], *owners[moment]) for moment in chosen],
        chosen.index(top),
        left,
    )


def _chosen(curve: list[int], top: int, points: int) -> list[int]:
    """Returns the moments to sample: the highest of each stretch, the peak and both ends."""
    length = len(curve)
    if length <= points:
        return list(range(length))
    stretch = -(-length // points)
    highest = {
        max(range(start, min(start + stretch, length)), key=curve.__getitem__)
        for start in range(0, length, stretch)
    }
    return sorted(highest | {0, top, length - 1})


def _owners(ledger: Ledger) -> list[tuple[str, Line | None]]:
    """Returns the phase and the line at each moment: those of the latest allocation."""
    made = {allocation.made: allocation for allocation in ledger.allocations}
    owners: list[tuple[str, Line | None]] = []
    phase, line = "", None
    for moment in range(len(ledger.curve)):
        allocation = made.get(moment)
        if allocation is not None:
            phase, line = allocation.phase, allocation.line
        owners.append((phase, line))
    return owners
