"""Scores the check on whole programs that others wrote: which marked write it finds, which clean program it flags.

A program is a file with one line `# --- driver ---`; below it the program trains what stands above. A hazard has one
line that ends in `# BUG`: the in-place write for which PyTorch raises in backward, or, `# BUG silent`, for which
gradients are wrong. A finding counts if its place, or one of the places that it points to, is that line.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from inplace_lint.engine.pipeline import examine
from inplace_lint.project import Settings

HERE = Path(__file__).parent
SETS = (
    "first",
    "second",
    "third",
    "fourth",
    "fifth",
    "sixth",
    "seventh",
    "eighth",
    "ninth",
    "tenth",
    "eleventh",
    "twelfth",
    "thirteenth",
    "fourteenth",
    "fifteenth",
)
DRIVER = "# --- driver ---"
BUG = "# BUG"


@dataclass
class Program:
    """One program, and where its hazard is: `row`, from 1, or 0 where it has none."""

    path: Path
    text: str = field(repr=False)

    @property
    def row(self) -> int:
        return next((row for row, line in enumerate(self.text.splitlines(), 1) if BUG in line), 0)

    @property
    def silent(self) -> bool:
        return f"{BUG} silent" in self.text

    @property
    def library(self) -> str:
        """The text without its driver: as a file that others import."""
        return self.text.partition(DRIVER)[0]

    def is_flagged(self, library: bool) -> bool:
        """Whether a finding is shown by default: at the marked line or, in a clean program, anywhere."""
        source = self.library if library else self.text
        for found in examine(str(self.path), source.encode(), Settings()):
            places = {found.location.row, *(label.location.row for label in found.labels)}
            if (
                found.code[:4] in ("IPL1", "IPL2")
                and found.severity != "note"
                and (not self.row or self.row in places)
            ):
                return True
        return False


def programs(name: str) -> list[Program]:
    """The programs of a set, by name."""
    return [Program(path, path.read_text("utf-8")) for path in sorted((HERE / name).glob("*.py"))]
