"""Gives mutated files to the linter, as the command line would, and sets what it says against what torch said."""

from __future__ import annotations

import gc
import importlib.util
import os
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from unittest import mock

from inplace_lint.engine import pipeline
from inplace_lint.project import Project, Settings
from inplace_lint.syntax import module as syntax

from .mutants import JUDGED, Mutant

if TYPE_CHECKING:
    from inplace_lint.model import Diagnostic

#: What speaks of a hazard; a warning that a function overwrites its argument stands where the caller is not known.
_CODES = ("IPL1", "IPL205")


class Told(NamedTuple):
    """A finding that the write brought: where it stands, in the mutated file's rows."""

    code: str
    confidence: str
    file: str
    row: int
    message: str
    #: no note, and not only possible
    strong: bool

    def __str__(self) -> str:
        return f"{self.code} {self.confidence} {self.file}:{self.row}: {self.message}"


class Scored(NamedTuple):
    """What came with a mutant, at default confidence and with `--min-confidence possible`."""

    mutant: Mutant
    default: list[Told]
    possible: list[Told]


class Linter:
    """`check` over the files of packages, of which one at a time is another than on disk.

    A package among the installed ones would be no project of its own: `folder` holds links to them. Each mutant gets
    a program of its own, as each start of the command does; only the syntax trees of unchanged files are kept.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._before: dict[tuple[str, str], Counter[object]] = {}
        self._trees: dict[str, object] = {}

    def score(self, mutant: Mutant) -> Scored:
        """The findings of the mutated file, and of those whose calls lead to it, that the write brought."""
        self._link(mutant.file.partition("/")[0])
        possible = self._brought(mutant, "possible")
        # What is found at default confidence is found with the possible ones too, and most often nothing is.
        default = self._brought(mutant, "likely") if any(one.strong for one in possible) else []
        return Scored(mutant, default, possible)

    def _brought(self, mutant: Mutant, confidence: str) -> list[Told]:
        source = (self.folder / mutant.file).read_text(encoding="utf-8")
        with self._replaced(mutant.file, mutant.text(source)) as project:
            told = [
                one
                for file in (mutant.file, *mutant.callers)
                for one in self._check(file, project, confidence)
            ]
        found = []
        for one in told:
            before = self._known(one.file, confidence)
            if (one.code, _row_before(mutant, one)) not in before:
                found.append(one)
        return found

    def _known(self, file: str, confidence: str) -> Counter[object]:
        """The findings of a file as it is, by code and row."""
        if (file, confidence) not in self._before:
            with self._replaced(None, "") as project:
                told = self._check(file, project, confidence)
            self._before[file, confidence] = Counter((one.code, one.row) for one in told)
        return self._before[file, confidence]

    def _check(self, file: str, project: Project, confidence: str) -> list[Told]:
        path = str(self.folder / file)
        settings = Settings(root=str(self.folder), select=_CODES, min_confidence=confidence)
        source = self._changed if file == self._file else Path(path).read_bytes()
        with mock.patch.object(pipeline, "_project", lambda _: project):
            found = pipeline.examine(path, source, settings)
        # That an analysis was cut short is said whatever is selected.
        return [_told(one, file) for one in found if one.code.startswith(_CODES)]

    @contextmanager
    def _replaced(self, file: str | None, text: str) -> Iterator[Project]:
        """A new project, in which a file has another text."""
        self._file, self._changed = file, text.encode()
        changed = None if file is None else str(self.folder / file)
        project = Project(str(self.folder))
        parse = syntax.parse

        def parsed(filename: str, source: bytes) -> object:
            if filename == changed:
                return parse(filename, source)
            if filename not in self._trees:
                self._trees[filename] = parse(filename, source)
            return self._trees[filename]

        with mock.patch.object(syntax, "parse", parsed):
            if changed is not None:
                from inplace_lint.interp.program import of_project

                of_project(project).files.read(changed, self._changed)
            yield project

    def _link(self, package: str) -> None:
        link = self.folder / package
        if not link.exists():
            link.symlink_to(folder_of(package))


def _told(one: Diagnostic, file: str) -> Told:
    strong = one.severity != "note" and one.confidence != "possible"
    return Told(one.code, one.confidence, file, one.location.row, one.message, strong)


def _row_before(mutant: Mutant, one: Told) -> int:
    """The row of a finding in the file as it was; 0 for the row that came."""
    inserted = mutant.after + 1
    if one.file != mutant.file or one.row < inserted:
        return one.row
    return 0 if one.row == inserted else one.row - 1


def folder_of(package: str) -> Path:
    """Where the files of a package lie; importing it is not needed."""
    if package == "models":
        return Path(__file__).parent / "models"
    spec = importlib.util.find_spec(package)
    folders = spec and spec.submodule_search_locations
    if not folders:
        raise ModuleNotFoundError(f"{package} is not installed", name=package)
    return Path(next(iter(folders)))


def score(mutants: Iterable[Mutant]) -> Iterator[Scored]:
    """Scores the mutants that torch has a verdict on, in order."""
    collects = gc.isenabled()
    gc.disable()  # as `check` does
    here = os.getcwd()
    try:
        with tempfile.TemporaryDirectory() as folder:
            linter = Linter(Path(folder).resolve())
            for number, mutant in enumerate(m for m in mutants if m.label in JUDGED):
                yield linter.score(mutant)
                if number % 10 == 9:
                    gc.collect()
    finally:
        os.chdir(here)
        if collects:
            gc.enable()


class Figures:
    """Shares of hazards found and of clean mutants flagged, by the group that a mutant belongs to."""

    def __init__(self) -> None:
        self.counts: dict[tuple[str, str], Counter[str]] = {}

    def add(self, scored: Scored) -> None:
        mutant = scored.mutant
        for group in ("all", "argument" if mutant.argument else "own tensor", mutant.model.partition(".")[0]):
            counts = self.counts.setdefault((mutant.label, group), Counter())
            counts["n"] += 1
            for level, told in (("default", scored.default), ("possible", scored.possible)):
                counts[level] += bool(told)
                counts[level + " 1xx"] += any(one.code != "IPL205" for one in told)

    def __str__(self) -> str:
        rows = [f"{'':40}{'number':>7}{'default':>9}{'of 1xx':>9}{'possible':>10}{'of 1xx':>9}"]
        for (label, group), counts in sorted(self.counts.items(), key=_order):
            columns = zip(("default", "default 1xx", "possible", "possible 1xx"), (9, 9, 10, 9))
            shares = "".join(f"{counts[key] / counts['n']:>{width}.1%}" for key, width in columns)
            rows.append(f"{label + ', ' + group:40}{counts['n']:>7}{shares}")
        return "\n".join(rows)


def _order(item: tuple[tuple[str, str], object]) -> tuple[object, ...]:
    label, group = item[0]
    first = ("all", "own tensor", "argument")
    return (JUDGED.index(label), first.index(group) if group in first else len(first), group)
