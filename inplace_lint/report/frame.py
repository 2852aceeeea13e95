"""Draws lines of one file with marks below the spans of interest, as compilers do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..model import Location
from .source import Sources
from .style import Style, cells, safe

if TYPE_CHECKING:
    from collections.abc import Sequence

#: Columns of source that are shown of a longer line, around its spans.
WIDTH = 110
#: Columns kept to the left of the first span of a line that is cut.
_BEFORE = 24
#: A span over more lines than this is shown by its first two and its last.
_WHOLE = 5


class Span:
    """A place to mark. `role` is a severity for the place of the finding, `frame` for the others."""

    __slots__ = ("caption", "location", "role")

    def __init__(self, location: Location, caption: str, role: str) -> None:
        self.location = location
        self.caption = safe(caption)
        self.role = role

    @property
    def mark(self) -> str:
        return "-" if self.role == "frame" else "^"


def draw(spans: Sequence[Span], sources: Sources, style: Style, width: int) -> list[str]:
    """The rows of the frame, the line numbers `width` digits wide. No rows where no line has text to show."""
    path = spans[0].location.path
    rows = _rows(spans)
    if not any(sources.line(path, row) for row in rows):
        return []
    tall = [span for span in spans if span.location.end_row > span.location.row]
    tracks = _tracks(tall)
    drawn: list[str] = []
    before = rows[0]
    for row in rows:
        bars = _Bars(tall, tracks, row)
        if row > before + 1:
            drawn.append(style.paint("...", "frame") + " " * width + bars.paint(style))
        before = row
        line = _Line(sources.line(path, row), _edges(spans, row))
        openings = [span for span in tall if span.location.row == row]
        for span in openings:
            if not line.is_indent(span.location.column):
                continue
            bars.open(span)
        number = style.paint(f" {row:>{width}} |", "frame")
        drawn.append(f"{number} {bars.paint(style)}{line.text}")
        gutter = " " * (width + 2) + style.paint("|", "frame") + " "
        flat = [span for span in spans if span not in tall and span.location.row == row]
        drawn += [gutter + bars.paint(style) + text for text in _marks(flat, line, style)]
        for span in openings:
            if line.is_indent(span.location.column):
                continue
            drawn.append(gutter + bars.turn(span, line.place(span.location.column), "", style))
            bars.open(span)
            bars.settle()
        bars.settle()
        for span in tall:
            if span.location.end_row == row:
                end = max(line.place(span.location.end_column) - 1, 0)
                drawn.append(gutter + bars.turn(span, end, span.caption, style))
                bars.close(span)
    return drawn


def _rows(spans: Sequence[Span]) -> list[int]:
    """The rows to show: those of the spans, and single lines between them."""
    wanted: set[int] = set()
    for span in spans:
        first, last = span.location.row, span.location.end_row
        wanted |= set(range(first, last + 1)) if last - first < _WHOLE else {first, first + 1, last}
    rows = sorted(wanted)
    return sorted(wanted | {row + 1 for row in rows if row + 2 in wanted})


def _edges(spans: Sequence[Span], row: int) -> list[int]:
    """The columns of a row that must not be cut off."""
    edges = [span.location.column for span in spans if span.location.row == row]
    return edges + [span.location.end_column for span in spans if span.location.end_row == row]


class _Line:
    """One line of source as shown, cut around the spans if it is long, and where its columns have gone."""

    def __init__(self, source: str, edges: list[int]) -> None:
        shown, self._columns = cells(source)
        self._indent = len(source) - len(source.lstrip())
        self._shift = 0
        self._end = len(shown)
        if len(shown) > WIDTH:
            places = [self._column(edge) for edge in edges] or [0]
            begin = max(0, min(places) - _BEFORE) if max(places) > WIDTH else 0
            end = begin + WIDTH
            cut_right = end < len(shown)
            shown = shown[begin:end]
            if shown and shown[0] == "":  # the right half of a wide character
                shown[0] = " "
            if begin:
                shown[:0] = "..."
                self._shift = 3 - begin
            self._end = len(shown)
            if cut_right:
                shown.append("...")
        self.text = "".join(shown).rstrip()

    def place(self, column: int) -> int:
        """Where a column of the source (from 1) stands in `text` (from 0)."""
        return max(0, min(self._column(column) + self._shift, self._end))

    def is_indent(self, column: int) -> bool:
        """Whether only blanks stand before a column."""
        return column - 1 <= self._indent

    def _column(self, column: int) -> int:
        return self._columns[max(0, min(column - 1, len(self._columns) - 1))]


def _marks(spans: list[Span], line: _Line, style: Style) -> list[str]:
    """The rows below a line: marks, the rightmost span's caption beside them, the others hanging below."""
    if not spans:
        return []
    placed = []
    for span in spans:
        start = line.place(span.location.column)
        placed.append((start, max(line.place(span.location.end_column), start + 1), span))
    row = _Row()
    # Wide marks first, so that what lies within them stays visible; of equal ones the finding's own last.
    for start, end, span in sorted(placed, key=lambda one: (one[0] - one[1], one[2].mark == "^")):
        row.write(start, span.mark * (end - start), span.role)
    beside = max(placed, key=lambda one: (one[1], one[0], one[2].mark == "^"))
    if beside[2].caption:
        row.write(row.end + 1, beside[2].caption, beside[2].role)
    rows = [row]
    hanging = sorted((one for one in placed if one is not beside and one[2].caption), key=lambda one: -one[0])
    if hanging:
        rows.append(_hooks(hanging))
    for number, (start, _, span) in enumerate(hanging, 1):
        row = _hooks([one for one in hanging[number:] if one[0] < start])
        row.write(start, span.caption, span.role)
        rows.append(row)
    return [row.paint(style) for row in rows]


def _hooks(spans: list[tuple[int, int, Span]]) -> _Row:
    row = _Row()
    for start, _, span in spans:
        row.write(start, "|", span.role)
    return row


class _Row:
    """Text written at columns, each with its role."""

    def __init__(self) -> None:
        self._cells: dict[int, tuple[str, str]] = {}

    @property
    def end(self) -> int:
        return max(self._cells, default=-1) + 1

    def write(self, column: int, text: str, role: str) -> None:
        for place, character in enumerate(text, column):
            self._cells[place] = (character, role)

    def paint(self, style: Style) -> str:
        painted, run, role = "", "", ""
        for column in range(self.end):
            character, new = self._cells.get(column, (" ", role))
            if new != role:
                painted, run = painted + style.paint(run, role), ""
            run, role = run + character, new
        return painted + style.paint(run, role)


def _tracks(tall: list[Span]) -> dict[Span, int]:
    """A column of the margin for each span over several lines: spans that meet differ, outer ones first."""
    tracks: dict[Span, int] = {}
    for span in sorted(tall, key=lambda one: (one.location.row, -one.location.end_row)):
        taken = {
            track
            for other, track in tracks.items()
            if other.location.row <= span.location.end_row and span.location.row <= other.location.end_row
        }
        tracks[span] = next(track for track in range(len(tall)) if track not in taken)
    return tracks


class _Bars:
    """The margin at one row: a bar for each span over several lines that is open there."""

    def __init__(self, tall: list[Span], tracks: dict[Span, int], row: int) -> None:
        self._tracks = tracks
        self._width = 2 * (max(tracks.values()) + 1) if tracks else 0
        self._bars: dict[int, tuple[str, str]] = {
            tracks[span]: ("|", span.role)
            for span in tall
            if span.location.row < row <= span.location.end_row
        }

    def open(self, span: Span) -> None:
        self._bars[self._tracks[span]] = ("/", span.role)

    def settle(self) -> None:
        """Below the row where it began, a span's `/` is a plain bar."""
        self._bars = {track: ("|", role) for track, (_, role) in self._bars.items()}

    def close(self, span: Span) -> None:
        self._bars.pop(self._tracks[span], None)

    def paint(self, style: Style) -> str:
        """The margin of an ordinary row, padded to its full width."""
        row = self._row()
        return row.paint(style) + " " * (self._width - row.end)

    def turn(self, span: Span, place: int, caption: str, style: Style) -> str:
        """A row in which a span's bar turns towards `place` in the text, where the span begins or ends."""
        row = self._row()
        start = 2 * self._tracks[span] + 1
        row.write(start, "_" * (self._width + place - start), span.role)
        row.write(self._width + place, f"{span.mark} {caption}".rstrip(), span.role)
        return row.paint(style)

    def _row(self) -> _Row:
        row = _Row()
        for track, (bar, role) in self._bars.items():
            row.write(2 * track, bar, role)
        return row
