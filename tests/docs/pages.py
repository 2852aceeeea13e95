"""Runs a page of the documentation as its reader would: files are written, commands typed, outputs compared.

A block of ```console holds commands after `$ ` and what each prints, standard error included; `...` is any text. What
stands above a block in `<!-- … -->` says more: `file: NAME` writes it to a file. Each page has a folder
to itself.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import runpy
import shlex
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple
from unittest import mock

from inplace_lint.cli import main

ROOT = Path(__file__).parents[2]
SAMPLES = ROOT / "docs/samples"
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]

_BLOCK = re.compile(
    r"(?:^<!-- (?P<mark>[^\n]*) -->\n)?^```(?P<language>\w+)\n(?P<text>.*?)^```$", re.M | re.S
)
#: These run code by PyTorch.
_NEEDS_TORCH = re.compile(
    r"^\$ (python|inplace-lint (confirm|trace|measure|capture|check .*--prove))\b", re.M
)


class Block(NamedTuple):
    """A fenced block: what is said above it, its language, its text, where the text lies in the page."""

    mark: str
    language: str
    text: str
    start: int

    @property
    def commands(self) -> list[tuple[str, str]]:
        """The commands of a console, each with what it prints."""
        parts = re.split(r"^\$ (.*)\n", self.text, flags=re.M)
        return list(zip(parts[1::2], parts[2::2]))


def blocks(page: Path) -> list[Block]:
    text = page.read_text(encoding="utf-8")
    return [
        Block(one["mark"] or "", one["language"], one["text"], one.start("text"))
        for one in _BLOCK.finditer(text)
    ]


def needs_torch(page: Path) -> bool:
    return any(_NEEDS_TORCH.search(block.text) for block in blocks(page) if block.language == "console")


def played(page: Path, folder: Path) -> Iterator[tuple[Block, list[tuple[str, str, str]]]]:
    """Goes through a page; of each console its commands, with what is to be printed and what is."""
    before = os.getcwd()
    os.chdir(folder)
    try:
        for block in blocks(page):
            if block.mark.startswith("file: "):
                path = folder / block.mark[6:]
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(block.text, encoding="utf-8")
            if block.language == "console":
                yield block, [(command, told, printed(command)) for command, told in block.commands]
    finally:
        os.chdir(before)


def printed(command: str) -> str:
    """What a terminal shows of a command."""
    words = shlex.split(command, comments=True)
    run: Callable[[], object]
    if words[0] == "inplace-lint":
        run = lambda: main(words[1:])  # noqa: E731
    elif words[0] == "python":
        run = lambda: runpy.run_path(words[1], run_name="__main__")  # noqa: E731
    else:
        raise AssertionError(f"only inplace-lint and python are run: {command}")
    output = io.StringIO()
    with (
        contextlib.redirect_stdout(output),
        contextlib.redirect_stderr(output),
        mock.patch.dict(os.environ, {"NO_COLOR": "1", "COLUMNS": "100"}),
    ):
        try:
            run()
        except Exception:
            traceback.print_exc()
    return output.getvalue()


def same(told: str, said: str) -> bool:
    """Whether a page tells what is printed, but for `...`."""
    lines = [
        "(?:.*\n)*?" if line == "..." else re.escape(line).replace(r"\.\.\.", ".*") + "\n"
        for line in _tidy(told).splitlines()
    ]
    return re.fullmatch("".join(lines), _tidy(said)) is not None


def _tidy(text: str) -> str:
    return "".join(f"{line.rstrip()}\n" for line in text.strip().splitlines())
