"""Finds the lines at which the keys of a TOML file stand: Python's parser does not tell."""

from __future__ import annotations

import re

_PART = r"""(?:"(?:[^"\\]|\\.)*"|'[^']*'|[\w-]+)"""
_PATH = rf"{_PART}(?:\s*\.\s*{_PART})*"
_HEADER = rf"\s*\[\[?\s*({_PATH})\s*\]\]?\s*(?:#|$)"
_KEY = rf"\s*({_PATH})\s*="


class Lines:
    """The lines of a file's keys, which are looked for when the first is asked for: mostly after an error."""

    def __init__(self, source: bytes) -> None:
        self._source = source
        self._lines: dict[tuple[str, ...], int] | None = None

    def of(self, *path: str, exact: bool = False) -> int | None:
        """The line of a key, whose tables stand before it; unless `exact`, of what it stands in, if it is not found."""
        if self._lines is None:
            self._lines = _indexed(self._source)
        for end in range(len(path), len(path) - 1 if exact else 0, -1):
            if path[:end] in self._lines:
                return self._lines[path[:end]]
        return None


def _indexed(source: bytes) -> dict[tuple[str, ...], int]:
    lines: dict[tuple[str, ...], int] = {}
    above: tuple[str, ...] = ()
    for number, text in enumerate(source.decode("utf-8", "replace").splitlines(), 1):
        header, key = re.match(_HEADER, text), re.match(_KEY, text)
        if header:
            path = above = _parts(header[1])
        elif key:
            path = (*above, *_parts(key[1]))
        else:
            continue
        for end in range(1, len(path) + 1):
            lines.setdefault(path[:end], number)
    return lines


def _parts(path: str) -> tuple[str, ...]:
    return tuple(map(_unquoted, re.findall(_PART, path)))


def _unquoted(part: str) -> str:
    import json

    if part[0] == '"':
        try:
            return str(json.loads(part))
        except ValueError:  # an escape that TOML has and JSON has not
            pass
    return part.strip("\"'")
