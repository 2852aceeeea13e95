"""Answers what the server asks of a worker: findings of an open file, edits of fixes, facts known at a line."""

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from ..checks import registry
from ..cli import baseline
from ..cli.options import UsageError
from ..engine import pipeline
from ..engine.cache import Caches
from ..engine.edits import trial
from ..engine.reading import reading
from ..model import Diagnostic, Edit, Location, Refused
from ..project.configuration import Configuration
from ..project.discovery import Target, is_excluded
from ..project.errors import ConfigurationError
from ..report.findings import Findings
from ..report.notebooks import in_cells

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from ..engine.reading import Reading
    from ..project import Settings


@dataclass
class Checked:
    """The findings of a file.

    `fault` is a configuration that cannot be used: its file, its line, what is wrong. `folders` hold all files that the
    findings may rest on.
    """

    findings: list[Diagnostic] = field(default_factory=list)
    fault: tuple[str, int, str] | None = None
    folders: tuple[str, ...] = ()


@dataclass
class Offer:
    """What may be done about a finding: the edits of its fix, and those that write a comment which ignores it."""

    fix: tuple[Edit, ...] = ()
    ignore: tuple[Edit, ...] = ()


class Analysis:
    """Reads files, those that are open as they are there. With `notes` remarks are found too that change nothing."""

    def __init__(self, notes: bool = True) -> None:
        self.notes = notes
        self._texts: dict[str, bytes] = {}
        self._caches = Caches()

    def tell(self, texts: Mapping[str, bytes | None]) -> None:
        """These files hold these texts now, those with None and all others what is on disk."""
        for name, text in texts.items():
            if text is None:
                self._texts.pop(name, None)
            else:
                self._texts[name] = text
        pipeline.turn_to(self._texts)
        self._caches.turn()

    def rest(self) -> None:
        """Keeps what was found for whoever comes later, now that nobody waits."""
        self._caches.write()

    def check(self, filename: str) -> Checked:
        """The findings of a file that is open, in its cells if it is a notebook."""
        try:
            settings = _settings(filename)
            found = self._found(filename, settings)
        except ConfigurationError as error:
            return Checked(fault=(error.filename, error.line or 1, error.message))
        except UsageError as error:
            return Checked(fault=(_configured(filename), 1, str(error)))
        return Checked(self._in_cells(filename, found), folders=_folders(filename, settings))

    def offers(self, filename: str, wanted: Sequence[tuple[str, Location]]) -> list[Offer]:
        """What may be done about findings, each known by its code and its place."""
        from ..fixes.apply import resolve

        settings = _settings(filename)
        found = self._found(filename, settings)
        shown = self._in_cells(filename, found)
        read = reading(filename, self._texts[filename])
        chosen = [
            next((one for one, seen in zip(found, shown) if _is(seen, code, place)), None)
            for code, place in wanted
        ]
        planned = [one for one in chosen if one is not None]
        resolve(planned, read.source, self._trial(filename, settings, read), found)
        made = iter(self._in_cells(filename, [one for one in chosen if one is not None]))
        offers = []
        for one in chosen:
            fix = None if one is None else next(made).fix
            ignore = () if one is None else tuple(_ignoring(filename, read, one))
            offers.append(Offer(() if fix is None else fix.edits, ignore))
        return offers

    def fixed(self, filename: str) -> tuple[Edit, ...]:
        """The edits that `check --fix` would make."""
        from ..fixes.apply import fix_source

        settings = _settings(filename)
        read = reading(filename, self._texts[filename])
        known = self._baseline(settings)
        if known is not None:
            found = pipeline.examine(filename, self._texts[filename], settings)
            known.divide(found, [filename], self._texts)

        def shown(source: bytes, found: Sequence[Diagnostic]) -> list[Diagnostic]:
            left = pipeline.shown(filename, source, list(found), settings)
            return left if known is None else known.unknown(filename, source, left)

        done = fix_source(read.source, shown, self._trial(filename, settings, read), unsafe=False)
        return tuple(_edits(filename, read, done.source))

    def explained(self, filename: str, row: int, cell: int | None) -> str:
        """What the analysis knows at a line, as text."""
        from ..cli.cells import explained
        from ..explain.explain import explain
        from ..project import Project
        from ..project.contents import Contents
        from ..syntax.unreadable import UnreadableFile

        settings, source = _settings(filename), self._texts[filename]
        contents = Contents()
        contents.turn_to(self._texts)

        def told(name: str, program: bytes, line: int) -> str:
            try:
                return explain(name, program, line, Project.of(settings, contents))
            except UnreadableFile as error:
                return f"{name}:{error.row}:{error.column} cannot be read: {error.message}"

        if cell is not None:
            return explained(filename, source, cell, row, told)
        return told(filename, source, row)

    def _found(self, filename: str, settings: Settings) -> list[Diagnostic]:
        """The findings of a file that are to be shown, in the program that it is."""
        if is_excluded(os.path.abspath(filename), settings) or _is_installed(filename):
            return []
        source = self._texts[filename]
        wanted = replace(settings, notes=settings.notes or self.notes)
        with pipeline.remembering(self._caches, writes=False):
            found = pipeline.examine_file(Target(filename, wanted))[0]
        known = self._baseline(settings)
        if known is not None:
            listed = known.divide(found, [filename], {filename: source})
            found = [one for one, is_listed in zip(found, listed) if not is_listed]
        return found

    def _baseline(self, settings: Settings) -> baseline.Baseline | None:
        return baseline.load(settings.baseline) if settings.baseline else None

    def _trial(self, filename: str, settings: Settings, read: Reading) -> Callable[[bytes], list[Diagnostic]]:
        return trial(Target(filename, settings), read)

    def _in_cells(self, filename: str, found: list[Diagnostic]) -> list[Diagnostic]:
        if not filename.endswith(".ipynb"):
            return found
        return list(in_cells(Findings(found, texts=self._texts), False).diagnostics)


def _settings(filename: str) -> Settings:
    """The settings in force for a file, read anew: nobody tells of every change. Raises ConfigurationError."""
    configuration = Configuration(selector_problem=registry.problem)
    return configuration.settings(os.path.dirname(os.path.abspath(filename)))


def _configured(filename: str) -> str:
    return _settings(filename).config_file or filename


def _folders(filename: str, settings: Settings) -> tuple[str, ...]:
    """Where the imports of a file, and theirs, may lead: around its topmost package, and to the configured sources."""
    folder = os.path.dirname(os.path.abspath(filename))
    while os.path.isfile(os.path.join(folder, "__init__.py")) and os.path.dirname(folder) != folder:
        folder = os.path.dirname(folder)
    root = os.path.abspath(settings.root)
    return (folder, *(os.path.normpath(os.path.join(root, path)) for path in settings.src))


def _is_installed(filename: str) -> bool:
    parts = os.path.abspath(filename).split(os.sep)
    return "site-packages" in parts or "dist-packages" in parts


def _is(one: Diagnostic, code: str, place: Location) -> bool:
    return one.code == code and one.location == place and one.location.cell == place.cell


def _ignoring(filename: str, read: Reading, one: Diagnostic) -> Iterator[Edit]:
    from ..fixes.ignore import ignored

    if one.code in registry.ALWAYS or one.code == "IPL001":
        return
    try:
        text, left = ignored(read.source, [one])
    except (Refused, SyntaxError):
        return
    if not left:
        yield from _edits(filename, read, text)


def _edits(filename: str, read: Reading, source: bytes) -> Iterator[Edit]:
    """The edits between a file and what became of its program, by cell."""
    from ..fixes.differences import differences
    from ..fixes.text import SourceText

    book = getattr(read, "book", None)
    if book is not None:
        texts = book.texts()
        for number, text in book.changed(source).items():
            yield from differences(filename, texts[number], text, number)
    elif source != read.source:
        before, after = SourceText(read.original).text, SourceText(read.written(source)).text
        yield from differences(filename, before, after)
