"""A text addressed by LSP positions: lines from 0, columns in the units that client and server agreed on."""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING

from lsprotocol.types import Position, PositionEncodingKind, Range

from ..fixes.text import line_starts

if TYPE_CHECKING:
    from ..model import Location

#: How a text is encoded to count units of a position, and how many bytes each has.
_CODECS = {
    PositionEncodingKind.Utf8: ("utf-8", 1),
    PositionEncodingKind.Utf16: ("utf-16-le", 2),
    PositionEncodingKind.Utf32: ("utf-32-le", 4),
}


class Text:
    """A text that does not change. Places of the analysis count rows, columns and characters from 1."""

    __slots__ = ("_starts", "text", "units")

    def __init__(self, text: str, units: PositionEncodingKind | str = PositionEncodingKind.Utf16) -> None:
        self.text = text
        self.units = PositionEncodingKind(units)
        self._starts: list[int] | None = None

    @property
    def starts(self) -> list[int]:
        """Where each line begins."""
        if self._starts is None:
            self._starts = line_starts(self.text)
        return self._starts

    def line(self, number: int) -> str:
        """A line (from 0) without its end; empty where there is none."""
        starts = self.starts
        if not 0 <= number < len(starts):
            return ""
        end = starts[number + 1] if number + 1 < len(starts) else len(self.text)
        return self.text[starts[number] : end].rstrip("\r\n")

    def position(self, row: int, column: int) -> Position:
        """The position of a row and a column (from 1), within the text in any case."""
        number = min(max(row, 1), len(self.starts)) - 1
        line = self.line(number)
        before = line[: max(column - 1, 0)] if number == row - 1 else line
        return Position(number, self._length(before))

    def range(self, place: Location) -> Range:
        """The range of a place."""
        return Range(self.position(place.row, place.column), self.position(place.end_row, place.end_column))

    def offset(self, position: Position) -> int:
        """How many characters stand before a position; one beyond the end of its line is at the end."""
        starts = self.starts
        if position.line >= len(starts):
            return len(self.text)
        line = self.line(position.line)
        if line.isascii() or self.units == PositionEncodingKind.Utf32:
            return starts[position.line] + min(position.character, len(line))
        codec, size = _CODECS[self.units]
        before = line.encode(codec, "surrogatepass")[: position.character * size]
        return starts[position.line] + len(before.decode(codec, "ignore"))

    def row_and_column(self, position: Position) -> tuple[int, int]:
        """The row and the column (from 1) of a position."""
        offset = self.offset(position)
        row = bisect_right(self.starts, offset)
        return row, offset - self.starts[row - 1] + 1

    def replaced(self, span: Range | None, content: str) -> Text:
        """The text after a change; of the whole text where no range is given."""
        if span is None:
            return Text(content, self.units)
        start, end = self.offset(span.start), self.offset(span.end)
        return Text(self.text[:start] + content + self.text[max(start, end) :], self.units)

    def _length(self, text: str) -> int:
        if text.isascii() or self.units == PositionEncodingKind.Utf32:
            return len(text)
        codec, size = _CODECS[self.units]
        return len(text.encode(codec, "surrogatepass")) // size
