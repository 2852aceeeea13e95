"""Programs of two forms, a bad one and a good one, told apart by marks at the ends of lines.

A line marked `# bad` stands in the bad form alone, `# good` in the good one alone; `# bad: CODE` stands in the bad form
and must be reported there as CODE. Below a line `# file: NAME` stands another file, which the first imports and which
is not checked itself, and what stands under `if __name__ == "__main__":` is only run. Each program is given `a` (needs
grad), `b`, `torch`, `nn`, `F` and `partial`.
"""

from __future__ import annotations

import re
import sys
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

GIVEN = """\
from functools import partial

import torch
import torch.nn.functional as F
from torch import nn

a = torch.linspace(-1, 1, 4).requires_grad_()
b = torch.linspace(1, 2, 4)

"""
_MARK = re.compile(r"  # (bad|good|both)(?:: (\w+))?$")
_FILE = re.compile(r"# file: (\w+\.py)")


class Form:
    """One form of a program: its files, the first of which is checked, and the (row, code) of what must be found."""

    def __init__(self, program: str, form: str) -> None:
        self.files: dict[str, str] = {}
        self.expected: set[tuple[int, str]] = set()
        name = "program.py"
        kept = GIVEN.splitlines()
        for line in textwrap.dedent(program).strip("\n").splitlines():
            begins = _FILE.match(line)
            if begins:
                self.files[name] = "\n".join(kept) + "\n"
                name, kept = begins[1], []
                continue
            mark = _MARK.search(line)
            if mark and mark[1] not in (form, "both"):
                continue
            kept.append(_MARK.sub("", line))
            if mark and mark[2]:
                self.expected.add((len(kept), mark[2]))
        self.files[name] = "\n".join(kept) + "\n"

    @property
    def source(self) -> str:
        return self.files["program.py"]

    @property
    def checked(self) -> str:
        return self.source.partition('if __name__ == "__main__":')[0]

    @contextmanager
    def written(self, folder: Path) -> Iterator[Path]:
        """The path of the program, with its other files beside it where they can be imported."""
        for name, text in self.files.items():
            (folder / name).write_text(text, encoding="utf-8")
        sys.path.insert(0, str(folder))
        try:
            yield folder / "program.py"
        finally:
            sys.path.remove(str(folder))
            for name in self.files:
                sys.modules.pop(name.removesuffix(".py"), None)
