"""Computes small edits that turn one text into another: changed lines, without their common start and end."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import SequenceMatcher
from itertools import takewhile

from ..model import Edit, Location
from .text import line_starts, location


def differences(filename: str, before: str, after: str, cell: int | None = None) -> Iterator[Edit]:
    """The edits for changed blocks of lines, in order, each without the common prefix and suffix."""
    starts = line_starts(before)
    old, new = _lines(before), _lines(after)
    for kind, first, last, begin, end in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind == "equal":
            continue
        gone, come = "".join(old[first:last]), "".join(new[begin:end])
        head = _shared(gone, come)
        tail = _shared(gone[head:][::-1], come[head:][::-1])
        start = (starts[first] if first < len(starts) else len(before)) + head
        place = location(filename, starts, start, start + len(gone) - head - tail)
        span = (place.row, place.column, place.end_row, place.end_column)
        yield Edit(come[head : len(come) - tail], Location(filename, *span, cell=cell))


def _lines(text: str) -> list[str]:
    """The lines with their ends; no empty line after the last line end."""
    starts = line_starts(text)
    return [text[a:b] for a, b in zip(starts, [*starts[1:], len(text)]) if a < b]


def _shared(one: str, other: str) -> int:
    """The length of the common prefix."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other)))
