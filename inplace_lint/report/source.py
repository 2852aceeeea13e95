"""The text of the files that findings speak of, by line, as far as it can be read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..project.reading import read

if TYPE_CHECKING:
    from collections.abc import Mapping


class Sources:
    """Reads each file once. What cannot be read has no lines; bytes that cannot be decoded show as \ufffd."""

    def __init__(self, texts: Mapping[str, bytes] | None = None) -> None:
        self._texts = texts or {}
        self._lines: dict[str, list[str]] = {}

    def line(self, path: str, row: int) -> str:
        """One line, of a file or of a cell (`Location.path`), without its end; empty where there is no such line."""
        lines = self._lines.get(path)
        if lines is None:
            lines = self._lines[path] = split(decode(self.content(path)))
        return lines[row - 1] if 0 < row <= len(lines) else ""

    def content(self, filename: str) -> bytes:
        """The bytes of a file; none where it cannot be read."""
        if filename in self._texts:
            return self._texts[filename]
        try:
            return read(filename)
        except OSError:
            return b""

    def add(self, path: str, text: str) -> None:
        """Take note of the code of a cell."""
        self._lines[path] = split(text)


def decode(source: bytes) -> str:
    """Source as text, in the encoding that Python would take: by a coding line, else UTF-8."""
    source = source.removeprefix(b"\xef\xbb\xbf")
    try:
        if b"coding" not in b"".join(source.split(b"\n", 2)[:2]):
            return source.decode("utf-8")
        from ..syntax.encoding import decoded

        return decoded(source)
    except (SyntaxError, UnicodeError, LookupError):
        return source.decode("utf-8", "replace")


def split(text: str) -> list[str]:
    """Lines as Python counts them: unlike for `str.splitlines`, a form feed ends none."""
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
