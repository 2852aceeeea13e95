"""Draws docs/images/terminal.svg, the picture of the README, from what PyTorch and inplace-lint print now.

`python -m scripts.picture` runs docs/samples/train.py, checks it, and writes the picture.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import runpy
import traceback
from html import escape
from pathlib import Path

from inplace_lint.cli import main

ROOT = Path(__file__).parents[1]
SAMPLES = ROOT / "docs/samples"
PICTURE = ROOT / "docs/images/terminal.svg"

_COLUMNS = 104
#: Sizes in units of the drawing: a character's width is stretched to the first, whatever the font.
_WIDTH, _HEIGHT, _MARGIN, _BAR = 8.4, 20, 20, 34
#: On the dark ground each has a contrast of 7 or more.
_COLOURS = {"31": "#ff8a80", "33": "#ffd866", "36": "#7fdbff", "34": "#8ab4ff", "": "#e6e6e6"}
_FONT = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace"


def session() -> list[str]:
    """What a terminal shows: the program that fails in backward, then the same file checked, in colour."""
    return [
        "\x1b[1m$ python train.py\x1b[0m",
        *raised("train.py"),
        "",
        "\x1b[1m$ inplace-lint train.py\x1b[0m",
        *checked("train.py"),
    ]


def raised(name: str) -> list[str]:
    """The traceback of a sample, without the frames within PyTorch."""
    try:
        runpy.run_path(str(SAMPLES / name), run_name="__main__")
    except RuntimeError as error:
        own = next(one for one in traceback.extract_tb(error.__traceback__) if one.filename.endswith(name))
        return [
            "Traceback (most recent call last):",
            f'  File "{name}", line {own.lineno}, in <module>',
            f"    {own.line}",
            "  ...",
            f"RuntimeError: {error}",
        ]
    raise AssertionError(f"{name} ran to its end")


def checked(name: str) -> list[str]:
    """What `inplace-lint` prints of a sample, on a terminal with colours."""
    output, before = io.StringIO(), os.getcwd()
    os.chdir(SAMPLES)
    try:
        with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
            main(["check", "--isolated", "--color", "always", name])
    finally:
        os.chdir(before)
    return output.getvalue().splitlines()


def drawing(lines: list[str]) -> str:
    """The lines as an SVG that needs no font of its own and reads the same on a light and a dark page."""
    rows = [row for line in lines for row in _folded(_runs(line))]
    width = 2 * _MARGIN + _COLUMNS * _WIDTH
    height = _BAR + _MARGIN + len(rows) * _HEIGHT
    said = escape("\n".join("".join(text for text, _ in row) for row in rows))
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" width="{width:g}"'
        f' height="{height:g}" role="img" aria-labelledby="title said">',
        '<title id="title">The error of PyTorch, and what inplace-lint says of the same file</title>',
        f'<desc id="said">{said}</desc>',
        f'<rect width="{width:g}" height="{height:g}" rx="10" fill="#1b1f27" stroke="#5a6270"/>',
        *(f'<circle cx="{20 + 18 * n}" cy="17" r="5.5" fill="#5a6270"/>' for n in range(3)),
        f'<g font-family="{_FONT}" font-size="14" xml:space="preserve">',
    ]
    for number, row in enumerate(rows):
        column, y = 0, _BAR + (number + 0.75) * _HEIGHT
        for text, codes in row:
            start = len(text) - len(text.lstrip())
            if shown := text.strip():
                weight = ' font-weight="bold"' if "1" in codes else ""
                colour = next((_COLOURS[code] for code in codes if code in _COLOURS), _COLOURS[""])
                parts.append(
                    f'<text x="{_MARGIN + (column + start) * _WIDTH:.1f}" y="{y:g}" fill="{colour}"{weight}'
                    f' textLength="{len(shown) * _WIDTH:.1f}">{escape(shown)}</text>'
                )
            column += len(text)
    return "\n".join([*parts, "</g>", "</svg>", ""])


Row = list[tuple[str, tuple[str, ...]]]


def _runs(line: str) -> Row:
    """A line as pieces of text with the codes of their colours."""
    pieces = re.split(r"\x1b\[([\d;]*)m", line)
    codes = [(), *(tuple(code.split(";")) for code in pieces[1::2])]
    return [(text, code) for text, code in zip(pieces[::2], codes) if text]


def _folded(row: Row) -> list[Row]:
    """A line as the terminal folds it: at its last column."""
    rows: list[Row] = [[]]
    left = _COLUMNS
    for text, codes in row:
        while text:
            rows[-1].append((text[:left], codes))
            text, left = text[left:], left - len(text[:left])
            if not left and text:
                rows.append([])
                left = _COLUMNS
        if not left:
            rows.append([])
            left = _COLUMNS
    return rows if rows[-1] or len(rows) == 1 else rows[:-1]


if __name__ == "__main__":
    PICTURE.write_text(drawing(session()), encoding="utf-8")
