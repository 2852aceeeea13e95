"""Colour where a terminal shows it, and text made safe to print."""

from __future__ import annotations

_CODES = {
    "error": "1;31",
    "warning": "1;33",
    "note": "1;36",
    "frame": "1;34",
    "bold": "1",
}

# What would move the cursor, change colours or turn the reading direction, were it printed as it stands.
_UNSAFE = {code: chr(0x2400 + code) for code in range(32)}
_UNSAFE[0x7F] = "\u2421"
_TURNS = (0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A))
_UNSAFE |= dict.fromkeys([*range(0x80, 0xA0), 0x2028, 0x2029, *_TURNS], "\ufffd")


class Style:
    """Paints text by the role it plays in a drawing: error, warning, note, frame, bold."""

    def __init__(self, colour: bool) -> None:
        self._colour = colour

    def paint(self, text: str, role: str) -> str:
        """`text` in the colour of `role`; as it stands where there is no colour."""
        code = _CODES.get(role) if self._colour and text.strip() else None
        return text if code is None else f"\x1b[{code}m{text}\x1b[0m"


def safe(text: str) -> str:
    """Text of one line without anything that a terminal would obey."""
    return text.translate(_UNSAFE)


def code_spans(text: str) -> list[str]:
    """Text and code in turn, as a message sets code apart by backticks; one that is left over is a letter."""
    parts = text.split("`")
    if len(parts) % 2 == 0:
        parts[-2:] = ["`".join(parts[-2:])]
    return parts


def cells(line: str, tab: int = 4) -> tuple[list[str], list[int]]:
    """A line as a terminal shows it: what stands in each column, and the column where each character begins.

    A tab is `tab` columns wide, a wide (East Asian) character two, a combining one none. The list of columns
    has one entry more than the line has characters.
    """
    if line.isascii() and line.isprintable():
        return list(line), list(range(len(line) + 1))
    from unicodedata import combining, east_asian_width

    shown: list[str] = []
    columns: list[int] = []
    for character in line:
        columns.append(len(shown))
        if character == "\t":
            shown.extend([" "] * tab)
        elif combining(character) or character == "\u200d" or "\ufe00" <= character <= "\ufe0f":
            if shown:
                shown[-1] += character
        else:
            shown.append(safe(character))
            if east_asian_width(character) in "WF":
                shown.append("")
    columns.append(len(shown))
    return shown, columns
