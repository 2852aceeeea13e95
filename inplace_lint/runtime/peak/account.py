"""Finds the peak of live bytes of a run and splits it by kind: parameters, gradients, saved for backward, temporary."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from .ledger import Allocation, Ledger
from .lines import Line

#: What memory is for, in the order in which tables show it. The first four last.
KINDS = ("parameters", "gradients", "optimizer", "inputs", "kept", "temporary")


@dataclass(frozen=True, slots=True)
class Peak:
    """The most bytes that were alive at once, and those that the forward left `kept` for the backward.

    `curve` is the run in short: (bytes, line) at moments in order, `top` being the index of the peak in it.
    """

    total: int
    phase: str
    kinds: dict[str, int]
    lines: dict[Line | None, int]
    curve: list[tuple[int, str, Line | None]] = field(default_factory=list)
    top: int = 0
    kept: int = 0


def account(ledger: Ledger, kept: Iterable[Allocation], points: int = 600) -> Peak:
    """What `ledger` holds of a run, `kept` being what was alive when its forward ended.

    `points` bounds the length of the curve; the peak is always among them.
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
    """Moments that draw the curve: the highest of each stretch, and the ends."""
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
    """The phase and the line at each moment: those of the allocation that was made last."""
    made = {allocation.made: allocation for allocation in ledger.allocations}
    owners: list[tuple[str, Line | None]] = []
    phase, line = "", None
    for moment in range(len(ledger.curve)):
        allocation = made.get(moment)
        if allocation is not None:
            phase, line = allocation.phase, allocation.line
        owners.append((phase, line))
    return owners
