"""A write put into a model's code, and what torch says of it: plain data, read and written without torch."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable
from pathlib import Path

#: The labels that say something of a write.
JUDGED = ("hazard", "elsewhere", "clean")


@dataclasses.dataclass
class Mutant:
    """One write: `line` goes in after the row `after` of a file, and torch says what the model then does.

    `label` is `hazard` (PyTorch's error, at backward or at once, names an in-place write), `elsewhere` (such an error
    not in this model, but in another configuration of a module around the write, which `error` names), `clean`
    (forward and backward end well in all), `other` (another error) or `unreached`. Files are named from the package's
    parent folder.
    """

    model: str
    file: str
    function: str
    name: str
    argument: bool
    after: int
    line: str
    callers: list[str]
    label: str = ""
    error: str = ""

    def text(self, source: str) -> str:
        """The file with the write in it."""
        lines = source.split("\n")
        return "\n".join([*lines[: self.after], self.line, *lines[self.after :]])


def write(path: Path, found: Iterable[Mutant]) -> None:
    """Keeps mutants in a file, one a line."""
    with open(path, "w", encoding="utf-8") as file:
        for mutant in found:
            file.write(json.dumps(dataclasses.asdict(mutant)) + "\n")
            file.flush()


def read(path: Path) -> list[Mutant]:
    """The mutants of such a file."""
    with open(path, encoding="utf-8") as file:
        return [Mutant(**json.loads(line)) for line in file]
