"""The lines that a finding speaks of, its places marked in them, and an arrow from what comes first to the next."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from ..findings import Step, steps
from .text import plain, source, words

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ...model import Diagnostic
    from ..source import Sources

#: Lines shown before and after each place.
_AROUND = 1
#: A place over more lines than this is shown by its first two and its last.
_WHOLE = 8
#: Characters shown of a line, and those before its first place where that is far to the right.
_WIDTH, _BEFORE = 400, 60
#: Arrows beside each other; there are no more.
_TRACKS = 4


def frames(diagnostic: Diagnostic, sources: Sources) -> str:
    """A frame for each file, or cell of a notebook, in the order of execution."""
    files: dict[str, list[tuple[int, Step]]] = {}
    for number, step in enumerate(steps(diagnostic)):
        files.setdefault(step.location.path, []).append((number, step))
    several = len(files) > 1
    shown = [_frame(name, placed, sources, several) for name, placed in files.items()]
    return '<p class="then" aria-hidden="true">&darr;</p>'.join(shown)


def _frame(path: str, placed: Sequence[tuple[int, Step]], sources: Sources, named: bool) -> str:
    rows = _rows([step for _, step in placed])
    at = {row: sources.line(path, row) for row in rows}
    if not any(at.values()):  # a file that cannot be read
        return "".join(_caption(step, 1) for _, step in placed if step.message)
    cells: list[str] = []
    lines: dict[int, int] = {}  # the row of the grid in which a line of the file stands
    before, place = rows[0], 0
    for row in rows:
        if row > before + 1:
            place += 1
            cells.append(f'<span class="gap" style="grid-row:{place}">&#8943;</span>')
        before, place = row, place + 1
        lines[row] = place
        here = [step for _, step in placed if step.location.row <= row <= step.location.end_row]
        cells.append(f'<span class="number" style="grid-row:{place}">{row}</span>')
        cells.append(f'<code style="grid-row:{place}">{_line(at[row], row, here)}</code>')
        for step in here:
            if step.location.end_row == row and step.message:
                place += 1
                cells.append(_caption(step, place))
    first, last = rows[0], rows[-1]
    head = f'<p class="file">{plain(path)}</p>' if named else ""
    name = f"{plain(path)}, {f'lines {first} to {last}' if last > first else f'line {first}'}"
    return (
        f'<div class="frame" role="group" tabindex="0" aria-label="{name}">'
        f'{head}<div class="grid">{"".join(_arrows(placed, lines))}{"".join(cells)}</div></div>'
    )


def _rows(placed: Sequence[Step]) -> list[int]:
    """The rows to show, sorted: those of the places, some around them, and none that would only stand for a gap."""
    wanted: set[int] = set()
    for step in placed:
        first, last = step.location.row, step.location.end_row
        wanted |= set(range(first, last + 1)) if last - first < _WHOLE else {first, first + 1, last}
        wanted.add(max(first - _AROUND, 1))
    return sorted(wanted | {row + 1 for row in wanted if row + 2 in wanted})


def _caption(step: Step, place: int) -> str:
    return (
        f'<span class="caption {_kind(step)}" style="grid-row:{place}">'
        f"<b>{step.role}</b> {words(step.message)}</span>"
    )


def _kind(step: Step) -> str:
    return "own" if step.own else "other"


def _line(text: str, row: int, here: Sequence[Step]) -> str:
    """A line in which the places are marked, cut around them if it is long."""
    spans = []
    for step in here:
        at = step.location
        start = at.column - 1 if at.row == row else len(text) - len(text.lstrip())
        end = at.end_column - 1 if at.end_row == row else len(text.rstrip())
        spans.append((min(start, len(text)), min(max(end, start + 1), len(text)), _kind(step)))
    begin = 0
    if len(text) > _WIDTH and spans and max(end for _, end, _ in spans) > _WIDTH:
        begin = max(0, min(start for start, _, _ in spans) - _BEFORE)
    until = min(len(text), begin + _WIDTH)
    cuts = sorted({begin, until, *(edge for span in spans for edge in span[:2] if begin < edge < until)})
    parts = ["&#8230;"] if begin else []
    for start, end in pairwise(cuts):
        kinds = {kind for low, high, kind in spans if low <= start and end <= high}
        piece = source(text[start:end])
        parts.append(f'<mark class="{" ".join(sorted(kinds))}">{piece}</mark>' if kinds else piece)
    return "".join(parts) + ("&#8230;" if until < len(text) else "")


def _arrows(placed: Sequence[tuple[int, Step]], lines: dict[int, int]) -> Iterator[str]:
    """Arrows to the finding's own place from those before it, and from it to those after; the shortest inside."""
    own = next(((number, step) for number, step in placed if step.own), None)
    if own is None:
        return
    ways = set()
    for number, step in placed:
        start, end = lines[step.location.row], lines[own[1].location.row]
        if start != end:
            ways.add((start, end) if number < own[0] else (end, start))
    inside = sorted(ways, key=lambda way: (abs(way[1] - way[0]), way))[:_TRACKS]
    for track, (start, end) in enumerate(inside):
        kind = "arrow" if start < end else "arrow up"
        place = f"grid-row:{min(start, end)}/{max(start, end) + 1};--track:{track}"
        yield f'<span class="{kind}" style="{place}" aria-hidden="true"></span>'
