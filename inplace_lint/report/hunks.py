"""Computes what a fix changes as hunks of whole lines: the old lines and their replacement."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .source import split

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..model import Edit, Fix
    from .source import Sources


class Hunk:
    """The lines `old` from `row` on, of a file or of a notebook's `cell`, become the lines `new`."""

    __slots__ = ("cell", "new", "old", "row")

    def __init__(self, row: int, old: list[str], new: list[str], cell: int | None = None) -> None:
        self.row = row
        self.cell = cell
        self.old = old
        self.new = new


def hunks(fix: Fix, sources: Sources, gap: int = 3) -> list[Hunk]:
    """The hunks of a fix in order; edits with at most `gap` lines between them share one."""
    groups: list[list[Edit]] = []
    for edit in fix.edits:
        before = groups[-1][-1].location if groups else None
        at = edit.location
        if before is not None and before.path == at.path and at.row - before.end_row <= gap + 1:
            groups[-1].append(edit)
        else:
            groups.append([edit])
    return [_hunk(group, sources) for group in groups]


def _hunk(edits: Sequence[Edit], sources: Sources) -> Hunk:
    path, cell = edits[0].location.path, edits[0].location.cell
    first, last = edits[0].location.row, edits[-1].location.end_row
    text, row, column = "", first, 1
    for edit in edits:
        place = edit.location
        text += _between(sources, path, (row, column), (place.row, place.column)) + edit.content
        row, column = place.end_row, place.end_column
    text += sources.line(path, last)[column - 1 :]
    old = [sources.line(path, number) for number in range(first, last + 1)]
    return Hunk(first, old, split(text), cell)


def _between(sources: Sources, path: str, start: tuple[int, int], end: tuple[int, int]) -> str:
    """The text of a file from one place up to another; each is a row and a column."""
    if start[0] == end[0]:
        return sources.line(path, start[0])[start[1] - 1 : end[1] - 1]
    lines = [sources.line(path, start[0])[start[1] - 1 :]]
    lines += [sources.line(path, row) for row in range(start[0] + 1, end[0])]
    return "\n".join([*lines, sources.line(path, end[0])[: end[1] - 1]])
