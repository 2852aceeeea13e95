"""Patterns that are compiled when they are first needed: few files need one, and `re` is slow to load."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import re


class Pattern:
    """A regular expression over bytes; calling it gives it compiled."""

    __slots__ = ("_compiled", "_text")

    def __init__(self, text: bytes) -> None:
        self._text = text
        self._compiled: re.Pattern[bytes] | None = None

    def __call__(self) -> re.Pattern[bytes]:
        if self._compiled is None:
            import re

            self._compiled = re.compile(self._text)
        return self._compiled
