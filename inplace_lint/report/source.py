"""The text of the files that findings speak of, by line, as far as it can be read."""

from __future__ import annotations

from ..project.reading import read

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


class Sources:
    """Reads each file once. What cannot be read has no lines; bytes that cannot be decoded show as \ufffd."""

    def __init__(self, texts: Mapping[str, bytes] | None = None) -> None:
        self._lines = {name: split(decode(source)) for name, source in (texts or {}).items()}

    def line(self, filename: str, row: int) -> str:
        """One line without its end; empty where the file has no such line."""
        lines = self._lines.get(filename)
        if lines is None:
            try:
                source = read(filename)
            except OSError:
                source = b""
            lines = self._lines[filename] = split(decode(source))
        return lines[row - 1] if 0 < row <= len(lines) else ""


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
