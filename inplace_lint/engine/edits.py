"""The edits of findings' fixes, each tried by itself: what the formats show and the server offers."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ..project.reading import read
from . import pipeline
from .processes import in_order
from .reading import Reading, reading

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from ..model import Diagnostic, Fix
    from ..project.discovery import Target

#: Below so many files with fixes a second process costs more than it saves.
_FIXED_PER_JOB = 4


def show_edits(
    targets: Sequence[Target], findings: Sequence[Diagnostic], texts: Mapping[str, bytes], jobs: int = 1
) -> None:
    """Fill in the edits of every fix, each tried by itself."""
    planned: list[list[Diagnostic]] = []
    sources: list[tuple[Target, bytes, list[Diagnostic]]] = []
    for target, source, found in by_file(targets, findings, texts):
        with_plan = [one for one in found if one.plan is not None]
        if with_plan:
            planned.append(with_plan)
            sources.append((target, source, with_plan))
    jobs = max(1, min(jobs, len(sources) // _FIXED_PER_JOB))
    for ours, tried in zip(planned, in_order(_tried, sources, jobs), strict=True):
        for one, (fix, refused) in zip(ours, tried, strict=True):
            one.fix, one.fix_refused = fix, refused


def _tried(file: tuple[Target, bytes, list[Diagnostic]]) -> list[tuple[Fix | None, str | None]]:
    """The edits of a file's fixes, or why there are none."""
    from ..fixes.apply import resolve

    target, source, planned = file
    program = reading(target.filename, source)
    resolve(planned, program.source, trial(target, program))
    return [(one.fix, one.fix_refused) for one in planned]


def by_file(
    targets: Sequence[Target], findings: Sequence[Diagnostic], texts: Mapping[str, bytes]
) -> Iterator[tuple[Target, bytes, list[Diagnostic]]]:
    found: dict[str, list[Diagnostic]] = {}
    for one in findings:
        found.setdefault(one.location.filename, []).append(one)
    for target in targets:
        if target.filename in found:
            source = texts.get(target.filename)
            if source is None:
                try:
                    source = read(target.filename)
                except OSError:
                    source = b""  # its finding says that it cannot be read
            yield target, source, found[target.filename]


def trial(target: Target, program: Reading) -> Callable[[bytes], list[Diagnostic]]:
    """Every finding of what may become of a file, those too that are only possible: none of them may come by a fix.

    Raises Refused for what cannot go back into the file.
    """
    settings = replace(target.settings, notes=True, min_confidence="possible")

    def lint(source: bytes) -> list[Diagnostic]:
        program.check(source)
        return pipeline.everything(target.filename, source, settings, trial=True)

    return lint
