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

    from ..model import Diagnostic, Fix
    from ..project.discovery import Target
    from .cache import Caches

#: Below so many files with fixes a second process costs more than it saves.
_FIXED_PER_JOB = 4


def show_edits(
    targets: Sequence[Target],
    findings: Sequence[Diagnostic],
    texts: Mapping[str, bytes],
    jobs: int = 1,
    caches: Caches | None = None,
) -> None:
    """Fill in the edits of every fix, each tried by itself, unless these caches know them."""
    planned: list[list[Diagnostic]] = []
    sources: list[tuple[Target, bytes, list[Diagnostic]]] = []
    with pipeline.remembering(caches):
        for target, source, found in by_file(targets, findings, texts):
            with_plan = _untried(target, found)
            if with_plan:
                planned.append(with_plan)
                sources.append((target, source, with_plan))
        jobs = max(1, min(jobs, len(sources) // _FIXED_PER_JOB))
        worker = pipeline.Remembering() if caches is not None else None
        for ours, tried in zip(planned, in_order(_tried, sources, jobs, worker), strict=True):
            for one, (fix, refused) in zip(ours, tried, strict=True):
                one.fix, one.fix_refused = fix, refused


def _untried(target: Target, found: Sequence[Diagnostic]) -> list[Diagnostic]:
    """Those findings whose edits are still to be made; those of the others are filled in."""
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


def _tried(file: tuple[Target, bytes, list[Diagnostic]]) -> list[tuple[Fix | None, str | None]]:
    """The edits of a file's fixes, or why there are none."""
    from ..fixes.apply import resolve

    target, source, planned = file
    program = reading(target.filename, source)
    resolve(planned, program.source, trial(target, program))
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
