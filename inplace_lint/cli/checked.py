"""Reads and checks the files that a call names, and splits off the findings that a baseline lists."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass, field
from time import perf_counter
from typing import TYPE_CHECKING

from ..engine import pipeline, processes
from ..project.discovery import Target, discover, is_excluded
from ..project.errors import ConfigurationError
from ..project.paths import shown
from . import complain
from .options import UsageError

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Container, Iterable, Iterator, Sequence
    from typing import TypeVar

    from ..engine.cache import Caches
    from ..model import Diagnostic
    from ..project.configuration import Configuration
    from .baseline import Baseline

    T = TypeVar("T")


@dataclass
class Checked:
    """What a run has read and found. `texts` holds the sources that are not on disk.

    `known` is what a baseline lists, `silenced` how many findings comments silence that would be shown.
    """

    targets: list[Target]
    findings: list[Diagnostic]
    texts: dict[str, bytes]
    jobs: int = 1
    incomplete: bool = False
    known: list[Diagnostic] = field(default_factory=list)
    silenced: int = 0
    caches: Caches | None = None
    started: float = field(default_factory=perf_counter)

    @property
    def filenames(self) -> list[str]:
        return [target.filename for target in self.targets]

    @property
    def counted(self) -> list[Diagnostic]:
        """What is not analysed as a whole, in files for which notes are not asked for."""
        noted = {target.filename for target in self.targets if target.settings.notes}
        return [one for one in self.findings if one.code == "IPL003" and one.location.filename not in noted]

    def set_apart(self, baseline: Baseline) -> None:
        """Of all that was found, what the baseline lists is known."""
        found = self.findings
        listed = baseline.divide(found, self.filenames, self.texts)
        self.known = [one for one, is_known in zip(found, listed) if is_known]
        self.findings = [one for one, is_known in zip(found, listed) if not is_known]


def read(options: Namespace, settings: Configuration) -> Checked:
    """Reads and checks what the call names. Raises UsageError."""
    paths = options.arguments
    from_input = paths == ["-"]
    if "-" in paths and not from_input:
        raise UsageError("`-` (standard input) cannot be mixed with other paths")
    if options.stdin_filename is not None and not from_input:
        raise UsageError("--stdin-filename is for standard input: write `-` as the path")
    if from_input and options.add_ignore:
        raise UsageError("--add-ignore writes into files: standard input is none")
    if from_input:
        return _read_input(options, settings)
    started = perf_counter()
    targets, errors = discover(paths or ["."], settings)
    for error in errors:
        complain(str(error))
    jobs = options.jobs or processes.default_jobs(len(targets))
    pipeline.turn_to({})
    caches = caches_for(options)
    findings, silenced = check_files(targets, jobs, options, caches)
    told = {one.location.filename for one in findings}
    # An IPL000 says so, unless it is ignored.
    lost = missing(paths, told)
    incomplete = bool(errors or lost)
    return Checked(targets, findings, {}, jobs, incomplete, silenced=silenced, caches=caches, started=started)


def missing(paths: Sequence[str], told: Container[str] = ()) -> set[str]:
    """Complains of the paths that do not exist, unless that is `told`: one that is mistyped must not pass."""
    lost = {path: shown(path) for path in paths if not os.path.exists(path) and shown(path) not in told}
    for path in lost:
        complain(f"{path}: no such file or directory")
    return set(lost.values())


def _read_input(options: Namespace, configuration: Configuration) -> Checked:
    name = options.stdin_filename
    filename = "-" if name is None else shown(name)
    if sys.stdin is None:
        raise UsageError("`-` is standard input, which is closed")
    source = sys.stdin.buffer.read()
    try:
        settings = configuration.settings(os.path.dirname(os.path.abspath(filename)))
    except ConfigurationError as error:
        raise UsageError(str(error)) from error
    checked = Checked([Target(filename, settings)], [], {filename: source})
    if name is None or not settings.force_exclude or not is_excluded(os.path.abspath(name), settings):
        pipeline.turn_to({filename: source})
        checked.caches = caches_for(options, writes=False)
        ((checked.findings, checked.silenced),) = pipeline.examine_files(checked.targets, 1, checked.caches)
    return checked


def check_files(
    targets: Sequence[Target], jobs: int, options: Namespace, caches: Caches | None
) -> tuple[list[Diagnostic], int]:
    """The findings of files on disk, and how many more comments silence; with a bar on a terminal unless `quiet`."""
    examined = pipeline.examine_files(targets, jobs, caches)
    if not options.quiet and sys.stderr.isatty():
        examined = _with_bar(examined, targets)
    findings: list[Diagnostic] = []
    silenced = 0
    for found, more in examined:
        findings += found
        silenced += more
    return findings, silenced


def caches_for(options: Namespace, writes: bool = True) -> Caches | None:
    """Where a call looks up what earlier ones found; None where it is not to."""
    if options.no_cache:
        return None
    from ..engine.cache import Caches

    return Caches(writes)


def _with_bar(examined: Iterable[T], targets: Sequence[Target]) -> Iterator[T]:
    from .progress import Progress

    with Progress(len(targets), sys.stderr) as progress:
        for done, one in enumerate(examined, 1):
            yield one
            progress.show(done, targets[done - 1].filename)
