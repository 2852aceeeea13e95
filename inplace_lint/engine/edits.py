"""Computes the edits of each finding's fix, tried one by one, for the output formats and the server."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING

from ..project.reading import read
from . import pipeline
from .processes import in_order
from .reading import Reading, reading

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import TypeAlias

    from ..model import Diagnostic, Fix
    from ..project.discovery import Target
    from .cache import Caches

    #: A file, its text, the findings whose fixes are to be tried, and all that are shown.
    _Planned: TypeAlias = "tuple[Target, bytes, list[Diagnostic], list[Diagnostic]]"

#: With fewer files with fixes per process, another process costs more than it saves.
_FIXED_PER_JOB = 4


def show_edits(
    targets: Sequence[Target],
    findings: Sequence[Diagnostic],
    texts: Mapping[str, bytes],
    jobs: int = 1,
    caches: Caches | None = None,
) -> None:
    """Fills in `fix` or `fix_refused` of every finding with a plan. Each fix is tried by itself, or is cached."""
    planned: list[list[Diagnostic]] = []
    sources: list[_Planned] = []
    with pipeline.remembering(caches):
        for target, source, found in by_file(targets, findings, texts):
            with_plan = _untried(target, found)
            if with_plan:
                planned.append(with_plan)
                sources.append((target, source, with_plan, found))
        jobs = max(1, min(jobs, len(sources) // _FIXED_PER_JOB))
        worker = pipeline.Remembering() if caches is not None else None
        for ours, tried in zip(planned, in_order(_tried, sources, jobs, worker), strict=True):
            for one, (fix, refused) in zip(ours, tried, strict=True):
                one.fix, one.fix_refused = fix, refused


def _untried(target: Target, found: Sequence[Diagnostic]) -> list[Diagnostic]:
    """The findings whose edits are not cached; fills in the edits of the others."""
    planned = [one for one in found if one.plan is not None and one.fix is None and one.fix_refused is None]
    cache = pipeline.cache_of(target.settings) if planned else None
    if cache is None:
        return planned
    known = {_identity(one): one for one in cache.edited(os.path.abspath(target.filename))}
    for one in planned:
        tried = known.get(_identity(one))
        if tried is not None:
            one.fix, one.fix_refused = tried.fix, tried.fix_refused
    return [one for one in planned if _identity(one) not in known]


def _identity(one: Diagnostic) -> tuple[object, ...]:
    return (one.code, one.message, one.location.key())


def _tried(file: _Planned) -> list[tuple[Fix | None, str | None]]:
    """The fixes of a file's findings, each with its edits, or the reason why it is refused."""
    from ..fixes.apply import resolve

    target, source, planned, found = file
    program = reading(target.filename, source)
    resolve(planned, program.source, trial(target, program), found)
    cache = pipeline.cache_of(target.settings)
    if cache is not None:
        cache.keep_edited(os.path.abspath(target.filename), planned)
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
                    source = b""  # its IPL000 finding says that it cannot be read
            yield target, source, found[target.filename]


def trial(target: Target, program: Reading) -> Callable[[bytes], list[Diagnostic]]:
    """Returns a function that lints a changed program at full sensitivity: a fix must not add even a possible finding.

    It raises Refused if the changed program cannot be written back into the file.
    """
    settings = replace(target.settings, notes=True, min_confidence="possible")

    def lint(source: bytes) -> list[Diagnostic]:
        program.check(source)
        return pipeline.everything(target.filename, source, settings, trial=True)

    return lint
