"""One file from bytes to the findings that are reported."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ..checks import registry
from ..model import CONFIDENCES, Diagnostic, Location, at_least
from ..project import Project, Settings
from ..project.contents import Contents
from ..project.paths import matches
from ..syntax.unreadable import UnreadableFile
from . import processes

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from ..project.discovery import Target


def examine(filename: str, source: bytes, settings: Settings) -> list[Diagnostic]:
    """The findings of one file that are to be shown, in order of place: of a notebook, in the program it makes."""
    return counted(filename, source, settings)[0]


def counted(filename: str, source: bytes, settings: Settings) -> tuple[list[Diagnostic], int]:
    """As `examine`, and how many more would be shown if no comment silenced them."""
    if not filename.endswith(".ipynb"):
        found = everything(filename, source, settings)
        if not found or found[0].code != "IPL000":
            return divided(filename, source, found, settings)
    from . import reading

    try:
        read = reading.reading(filename, source)
    except UnreadableFile as error:
        return divided(filename, source, [reading.unreadable(filename, error)], settings)
    found = everything(filename, read.source, settings)
    found += (reading.unreadable(filename, error) for error in read.faults)
    return divided(filename, read.source, sorted(found, key=lambda one: one.location.key()), settings)


def everything(filename: str, source: bytes, settings: Settings, trial: bool = False) -> list[Diagnostic]:
    """All findings of one file, whatever is selected or silenced; with `trial`, of what may become of it."""
    from ..checks import check_source

    return check_source(filename, source, settings, _project(settings), trial)


def shown(filename: str, source: bytes, found: list[Diagnostic], settings: Settings) -> list[Diagnostic]:
    """Those of a file's findings that are to be shown, and what is to be said of the comments that silence some."""
    return divided(filename, source, found, settings)[0]


def divided(
    filename: str, source: bytes, found: list[Diagnostic], settings: Settings
) -> tuple[list[Diagnostic], int]:
    """As `shown`, and how many more would be shown if no comment silenced them."""
    left = found
    # Comments come first: one that silences a finding which would be hidden anyway is not unused.
    if b"inplace-lint:" in source or (found and b"noqa" in source.lower()):
        from ..project.suppressions import suppress

        left = suppress(filename, source, found, registry.problem)
        if any(one.code == "IPL001" for one in left) and not _wants_notes(settings):
            left = _without_doubtful(filename, source, left, settings)
    codes = _codes(settings, filename)

    def selected(some: Iterable[Diagnostic]) -> list[Diagnostic]:
        return [one for one in map(_capped, some) if one.code in codes and _is_shown(one, settings)]

    kept = set(map(id, left))
    return selected(left), len(selected(one for one in found if id(one) not in kept))


def _without_doubtful(
    filename: str, source: bytes, left: list[Diagnostic], settings: Settings
) -> list[Diagnostic]:
    """Without those IPL001 whose comment may silence what was not looked for: a note, or what is only possible."""
    from ..project.suppressions import suppress

    closely = replace(settings, notes=True, min_confidence="possible")
    every = suppress(filename, source, everything(filename, source, closely, trial=True), registry.problem)
    unused = {(one.location.key(), one.message) for one in every if one.code == "IPL001"}
    return [one for one in left if one.code != "IPL001" or (one.location.key(), one.message) in unused]


def examine_file(target: Target) -> tuple[list[Diagnostic], int]:
    """As `counted`, for a file on disk, or one that stands for it; one that cannot be read is an IPL000."""
    try:
        source = _contents.read(target.filename, pipes=True)
    except OSError as error:
        message = f"cannot be read: {error.strerror or error}"
        if "IPL000" not in _codes(target.settings, target.filename):
            return [], 0
        place = Location(target.filename, 1, 1, 1, 1)
        return [Diagnostic("IPL000", "unreadable-file", "error", "certain", message, place)], 0
    return counted(target.filename, source, target.settings)


def examine_files(targets: Sequence[Target], jobs: int) -> Iterator[tuple[list[Diagnostic], int]]:
    """As `counted`, for each file, in the order of `targets` whatever the number of jobs."""
    return processes.in_order(examine_file, targets, jobs)


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
    """From now on files hold what is on disk at this moment, or what is said here of those that nobody saved.

    A process that lives on says so before it asks for findings again.
    """
    from ..analysis.program import forget
    from ..project import torch_version

    others = _contents.turn_to(unsaved)
    if others:
        for project in _projects.values():
            project.forget()
    torch_version.forget()
    forget(others)


#: what the files of all projects hold
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
    key = (settings.select + settings.extend_select, settings.ignore)
    if key not in _enabled:
        _enabled[key] = registry.enabled(*key)
    silenced = frozenset(code for selector in ignore for code in registry.matching(selector))
    return _enabled[key] - silenced
