"""Finds the existing name nearest to one that does not exist, by edit distance."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


def distance(a: str, b: str) -> int:
    """The edit distance of two words: insertions, deletions, replacements, swaps of neighbours."""
    before: list[int] = []
    last = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        row = [i]
        for j, y in enumerate(b, 1):
            cost = min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (x != y))
            if i > 1 and j > 1 and x == b[j - 2] and a[i - 2] == y:
                cost = min(cost, before[j - 2] + 1)
            row.append(cost)
        before, last = last, row
    return last[-1]


def nearest(name: str, names: Iterable[str]) -> str | None:
    """The nearest name, or None: first with `_` removed or added, else by distance, at most a third of the length."""
    known = {n for n in names if not n.startswith("__")}
    if name in known:
        return name
    if name.rstrip("_") in known:
        return name.rstrip("_")
    if name + "_" in known:
        return name + "_"
    best = min(known, key=lambda n: (distance(name, n), n), default=None)
    if best is None or distance(name, best) > max(1, len(name) // 3):
        return None
    return best
