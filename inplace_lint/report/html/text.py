"""Escapes text of findings and of source for HTML, and disarms characters that turn the reading direction."""

from __future__ import annotations

from html import escape

from ..places import readable
from ..style import code_spans, safe


def plain(text: str) -> str:
    """Words of one line."""
    return escape(safe(readable(text)))


def words(text: str) -> str:
    """Words in which backticks set code apart."""
    parts = [plain(part) for part in code_spans(text)]
    return "".join(f"<code>{part}</code>" if number % 2 else part for number, part in enumerate(parts))


def source(text: str) -> str:
    """A line of source, or a part of one; tabs stay."""
    return escape("\t".join(map(safe, readable(text).split("\t"))))


def plural(count: int, noun: str) -> str:
    """`1 file`, `2 files`."""
    return f"{count} {noun}{'s' if count != 1 else ''}"
