"""Decodes a file's text so that it can be written back byte for byte; converts places and applies edits."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from io import BytesIO
from tokenize import detect_encoding

from ..model import Edit, Location, Refused

_BOM = b"\xef\xbb\xbf"
#: Python's line ends. Unlike in `str.splitlines`, a form feed is none.
_LINE_END = re.compile(r"\r\n|\r|\n")


class SourceText:
    """The text of a Python file. Bytes that no edit touches are written back as they were."""

    __slots__ = ("_bom", "_encoding", "text")

    def __init__(self, source: bytes) -> None:
        """Raises Refused if decoding and encoding do not give the same bytes back."""
        self._bom = _BOM if source.startswith(_BOM) else b""
        try:
            self._encoding = detect_encoding(BytesIO(source.replace(b"\r", b"\n")).readline)[0].removesuffix(
                "-sig"
            )
            self.text = source[len(self._bom) :].decode(self._encoding)
            exact = self.encoded(self.text) == source
        except (SyntaxError, UnicodeError, LookupError):
            exact = False
        if not exact:
            raise Refused("the file's bytes cannot be written back as they are in its encoding")

    def encoded(self, text: str) -> bytes:
        """Encodes a text like this file. Raises Refused if its encoding lacks a character."""
        try:
            return self._bom + text.encode(self._encoding)
        except UnicodeEncodeError as error:
            raise Refused(f"the file's encoding, {self._encoding}, lacks a character of the fix") from error


def line_starts(text: str) -> list[int]:
    """The offset at which each line begins."""
    return [0, *(match.end() for match in _LINE_END.finditer(text))]


def line_end(text: str) -> str:
    """The line end that the text uses first."""
    found = _LINE_END.search(text)
    return found.group() if found else "\n"


def indent_of(text: str, place: Location) -> str:
    """The text before a place on its line."""
    starts = line_starts(text)
    start, _ = span(starts, place)
    return text[starts[place.row - 1] : start]


def span(starts: Sequence[int], place: Location) -> tuple[int, int]:
    """The start and end offsets of a place. Raises Refused if the text has no such line."""
    if place.end_row > len(starts):
        raise Refused("the text is not the one that was checked")
    return starts[place.row - 1] + place.column - 1, starts[place.end_row - 1] + place.end_column - 1


def location(filename: str, starts: Sequence[int], start: int, end: int) -> Location:
    """The place of the characters from `start` to `end`."""
    from bisect import bisect_right

    row, end_row = bisect_right(starts, start), bisect_right(starts, end)
    return Location(filename, row, start - starts[row - 1] + 1, end_row, end - starts[end_row - 1] + 1)


def apply(text: str, edits: Iterable[Edit]) -> str:
    """Applies all edits. Raises Refused if two of them overlap."""
    starts = line_starts(text)
    spans = sorted((*span(starts, edit.location), edit.content) for edit in edits)
    parts: list[str] = []
    done = 0
    for start, end, content in spans:
        if start < done or end < start or end > len(text):
            raise Refused("two edits overlap")
        parts += (text[done:start], content)
        done = end
    return "".join(parts) + text[done:]


def clash(one: Sequence[Edit], other: Sequence[Edit]) -> bool:
    """Whether two fixes touch the same or adjacent characters, except where both make the same edit."""
    return any(
        (a.row, a.column) <= (b.end_row, b.end_column)
        and (b.row, b.column) <= (a.end_row, a.end_column)
        and (a != b or first.content != second.content)
        for first in one
        for second in other
        for a, b in ((first.location, second.location),)
    )


def united(edits: Iterable[Edit]) -> list[Edit]:
    """The edits of several fixes, without duplicates."""
    return list({(edit.location.key(), edit.content): edit for edit in edits}.values())
