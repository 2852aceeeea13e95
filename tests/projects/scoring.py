"""Scores the check on projects of several files: whether it finds the marked write, and what it says of right ones.

A project is a folder with a script, `main.py`, and the packages that it imports. In one with a hazard a line ends in
`# BUG`: the in-place write for which PyTorch raises in backward or, in two, for which the script shows that gradients are
wrong. A finding counts if its place, or one of the places that it points to, is that line.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

HERE = Path(__file__).parent
SETS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh")
BUG = "# BUG"


@dataclass(frozen=True)
class Project:
    """One project, and the place of its hazard: a file below its folder and a row, from 1; None where it has none."""

    folder: Path
    marked: tuple[str, int] | None

    @property
    def name(self) -> str:
        """The set and the folder: `first/05_moco_queue`."""
        return f"{self.folder.parent.name}/{self.folder.name}"

    def is_flagged(self, library: bool) -> bool:
        """Whether a finding is shown by default: at the marked line or, in a right project, anywhere.

        It is checked on its own, as a checkout of it would be; as a `library` without the script that uses it.
        """
        with TemporaryDirectory() as place:
            copy = Path(place) / "project"
            shutil.copytree(self.folder, copy, ignore=shutil.ignore_patterns("__pycache__"))
            if library:
                (copy / "main.py").unlink()
            command = "check --isolated --no-cache --jobs 1 --output-format json ."
            run = [sys.executable, "-m", "inplace_lint", *command.split()]
            found = json.loads(subprocess.run(run, cwd=copy, capture_output=True, check=False).stdout)
        return any(
            one["code"][:4] in ("IPL1", "IPL2") and one["severity"] != "note" and self._is_meant(one)
            for one in found
        )

    def _is_meant(self, found: dict[str, Any]) -> bool:
        places = [found, *found["labels"]]
        rows = {(one.get("filename") or found["filename"], one["location"]["row"]) for one in places}
        return self.marked is None or self.marked in rows


def projects(name: str) -> Iterator[Project]:
    """The projects of a set, by name."""
    for folder in sorted((HERE / name).iterdir()):
        marks = [
            (path.relative_to(folder).as_posix(), row)
            for path in sorted(folder.rglob("*.py"))
            for row, line in enumerate(path.read_text("utf-8").splitlines(), 1)
            if BUG in line
        ]
        yield Project(folder, marks[0] if marks else None)
