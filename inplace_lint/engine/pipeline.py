"""Takes one file from bytes to the reported findings: cache, checks, suppression comments, selected rules."""

from __future__ import annotations

import os
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from ..checks import registry
from ..model import CONFIDENCES, Diagnostic, Location, at_least
from ..project import Project, Settings
from ..project.contents import Contents
from ..project.paths import matches
from ..syntax.unreadable import UnreadableFile
from . import processes, reading

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from ..project.discovery import Target
    from .cache import Cache, Caches


def examine(filename: str, source: bytes, settings: Settings) -> list[Diagnostic]:
    """The findings to show for one file, sorted by place; for a notebook, places are in the program of its cells."""
    return counted(filename, source, settings)[0]


def counted(filename: str, source: bytes, settings: Settings) -> tuple[list[Diagnostic], int]:
    """As `examine`, and the number of findings that only a comment hides."""
    found, program = _gathered(filename, source, settings)
    return divided(filename, program, found, settings)


def _gathered(filename: str, source: bytes, settings: Settings) -> tuple[list[Diagnostic], bytes]:
    """All findings of one file, and the program in which they are placed."""
    if not filename.endswith(".ipynb"):
        found = everything(filename, source, settings)
        if not found or found[0].code != "IPL000":
            return found, source
    try:
        read = reading.reading(filename, source)
    except UnreadableFile as error:
        return [reading.unreadable(filename, error)], source
    found = everything(filename, read.source, settings)
    found += (reading.unreadable(filename, error) for error in read.faults)
    return sorted(found, key=lambda one: one.location.key()), read.source


def everything(filename: str, source: bytes, settings: Settings, trial: bool = False) -> list[Diagnostic]:
    """All findings of one file, selected or not, silenced or not. `trial`: the source is a changed one, tried out."""
    from ..checks import check_source

    return check_source(filename, source, settings, _project(settings), trial)


def shown(filename: str, source: bytes, found: list[Diagnostic], settings: Settings) -> list[Diagnostic]:
    """The findings to show, and an IPL001 for each comment that silences none."""
    return divided(filename, source, found, settings)[0]


def divided(
    filename: str, source: bytes, found: list[Diagnostic], settings: Settings, cache: Cache | None = None
) -> tuple[list[Diagnostic], int]:
    """As `shown`, and the number of findings that only a comment hides.

    Pass a `cache` only for a file whose content is `source` on disk.
    """
    left = found
    # Suppress before selecting: a comment for a finding that would be hidden anyway is not unused.
    if _has_comments(source, found):
        from ..project.suppressions import suppress

        left = suppress(filename, source, found, registry.problem)
        if any(one.code == "IPL001" for one in left) and not _wants_notes(settings):
            left = _without_doubtful(filename, source, left, settings, cache)
    codes = _codes(settings, filename)

    def selected(some: Iterable[Diagnostic]) -> list[Diagnostic]:
        return [one for one in map(_capped, some) if one.code in codes and _is_shown(one, settings)]

    kept = set(map(id, left))
    return selected(left), len(selected(one for one in found if id(one) not in kept))


def _has_comments(source: bytes, found: list[Diagnostic]) -> bool:
    """Whether a comment may silence a finding, or is one of ours; a `noqa` applies to its own line only."""
    if b"inplace-lint:" in source:
        return True
    source = source.lower()
    if not found or b"noqa" not in source:
        return False
    lines = source.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
    places = [one.location for one in found]
    return any(b"noqa" in line for place in places for line in lines[place.row - 1 : place.end_row])


def _without_doubtful(
    filename: str, source: bytes, left: list[Diagnostic], settings: Settings, cache: Cache | None
) -> list[Diagnostic]:
    """Drops an IPL001 whose comment silences a note or a possible finding, which this run did not look for."""
    from ..project.suppressions import suppress

    closely = replace(settings, notes=True, min_confidence="possible")
    path = os.path.abspath(filename)
    known = None if cache is None else cache.recall(path, True)
    if known is None:
        found = everything(filename, source, closely, trial=True)
        if cache is not None:
            cache.keep(path, True, found, _SAID)
    else:
        found = known[0]
    every = suppress(filename, source, found, registry.problem)
    unused = {(one.location.key(), one.message) for one in every if one.code == "IPL001"}
    return [one for one in left if one.code != "IPL001" or (one.location.key(), one.message) in unused]


#: Where comments may silence findings: nowhere, in the file's own text, or in the program extracted from it.
_SILENT, _SAID, _SAID_IN_PROGRAM = range(3)


def examine_file(target: Target) -> tuple[list[Diagnostic], int]:
    """As `counted`, for a file on disk or in an editor; an unreadable one gives an IPL000."""
    filename, settings = target.filename, target.settings
    cache = cache_of(settings)
    path = os.path.abspath(filename)
    try:
        known = None if cache is None else cache.recall(path, _wants_notes(settings))
        if known is not None:
            found, says = known
            program = _contents.read(filename) if says else b""
            if says == _SAID_IN_PROGRAM:
                program = reading.program(filename, program)
            return divided(filename, program, found, settings, cache)
        source = _contents.read(filename, pipes=True)
    except OSError as error:
        message = f"cannot be read: {error.strerror or error}"
        if "IPL000" not in _codes(settings, filename):
            return [], 0
        place = Location(filename, 1, 1, 1, 1)
        return [Diagnostic("IPL000", "unreadable-file", "error", "certain", message, place)], 0
    found, program = _gathered(filename, source, settings)
    if cache is not None:
        says = _SILENT
        if _has_comments(program, found):
            says = _SAID if program is source else _SAID_IN_PROGRAM
        cache.keep(path, _wants_notes(settings), found, says)
    return divided(filename, program, found, settings, cache)


def examine_files(
    targets: Sequence[Target], jobs: int, caches: Caches | None = None
) -> Iterator[tuple[list[Diagnostic], int]]:
    """As `counted`, for each file, in the order of `targets` whatever the number of jobs.

    With `caches`, cached findings are reused and new ones saved.
    """
    if caches is None:
        yield from processes.in_order(examine_file, targets, jobs)
        return
    with remembering(caches):
        unknown = _unknown(targets)
        if len(unknown) < len(targets):
            jobs = min(jobs, processes.default_jobs(len(unknown)))
        found = processes.in_order(examine_file, unknown, jobs, Remembering())
        missing = set(map(id, unknown))
        for target in targets:
            yield next(found) if id(target) in missing else examine_file(target)


@contextmanager
def remembering(caches: Caches | None, writes: bool = True) -> Iterator[None]:
    """Within this context, findings are looked up in the caches and added to them; `writes` also saves them."""
    global _caches
    _caches = caches
    written = caches if writes else None
    try:
        yield
        if written is not None:
            written.write()
    except KeyboardInterrupt:
        if written is not None:
            written.write()  # so that the next run resumes here
        raise
    finally:
        _caches = None


def _unknown(targets: Sequence[Target]) -> list[Target]:
    """The files whose findings are not cached."""
    of_settings: dict[Settings, list[tuple[str, Target]]] = {}
    for target in targets:
        of_settings.setdefault(target.settings, []).append((os.path.abspath(target.filename), target))
    unknown: set[int] = set()
    for settings, files in of_settings.items():
        cache, notes = cache_of(settings), _wants_notes(settings)
        if cache is not None:
            cache.verify(path for path, _ in files)
        unknown.update(id(one) for path, one in files if cache is None or not cache.knows(path, notes))
    return [target for target in targets if id(target) in unknown]


class Remembering(processes.Worker):
    """Makes a worker process use the caches, and report what it found out."""

    def begin(self) -> None:
        global _caches
        if _caches is None:  # a spawned process inherits nothing from its parent
            from .cache import Caches

            _caches = Caches()
        _caches.news()  # the parent knows everything up to here

    def news(self) -> object:
        return None if _caches is None else _caches.news()

    def learn(self, news: Any) -> None:
        if _caches is not None:
            _caches.learn(news, _project)


def cache_of(settings: Settings) -> Cache | None:
    """The cache for these settings; None if findings are not cached."""
    if _caches is None or settings.rules:  # the dependencies of third-party rules are not known
        return None
    return _caches.of(settings, _project(settings))


def _capped(diagnostic: Diagnostic) -> Diagnostic:
    if diagnostic.confidence == "possible":
        diagnostic.severity = "note"
    return diagnostic


def _is_shown(diagnostic: Diagnostic, settings: Settings) -> bool:
    if not at_least(diagnostic.confidence, settings.min_confidence, CONFIDENCES):
        return False
    if diagnostic.severity != "note" or diagnostic.code in registry.ALWAYS:
        return True
    return _wants_notes(settings)


def _wants_notes(settings: Settings) -> bool:
    return settings.notes or settings.min_confidence == "possible"


def turn_to(unsaved: Mapping[str, bytes]) -> None:
    """Re-reads files from disk from now on, with `unsaved` in place of those that are open in an editor.

    A long-running process calls this before it asks for findings again.
    """
    if not unsaved and not _contents.was_asked():
        return
    from ..interp.program import forget
    from ..project import torch_version

    others = _contents.turn_to(unsaved)
    if others:
        for project in _projects.values():
            project.forget()
    torch_version.forget()
    forget(others)


#: the caches in use, within `remembering`
_caches: Caches | None = None
#: the contents of all projects' files
_contents = Contents()
_projects: dict[tuple[object, ...], Project] = {}
_enabled: dict[tuple[tuple[str, ...], ...], frozenset[str]] = {}


def _project(settings: Settings) -> Project:
    key = (settings.root, settings.src, settings.models)
    if key not in _projects:
        _projects[key] = Project.of(settings, _contents)
    return _projects[key]


def _codes(settings: Settings, filename: str) -> frozenset[str]:
    """The codes that are reported in this file."""
    ignore = tuple(
        selector
        for pattern, selectors in settings.per_file_ignores
        if matches(filename, (pattern,), settings.root)
        for selector in selectors
    )
    chosen = (settings.select + settings.extend_select, settings.ignore)
    key = (*chosen, settings.rules)
    if key not in _enabled:
        _enabled[key] = registry.enabled(*chosen)
    silenced = frozenset(code for selector in ignore for code in registry.matching(selector))
    return _enabled[key] - silenced
