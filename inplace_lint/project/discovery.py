"""Lists the files to check: those that are named, and Python files and notebooks below named directories."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING

from .configuration import Configuration
from .errors import ConfigurationError
from .paths import matches, shown
from .reading import read
from .settings import Settings

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pathspec import GitIgnoreSpec

#: The endings of the files that are read in a named directory.
_READ = (".py", ".ipynb")


class Target:
    """A file to check, with the settings for it."""

    __slots__ = ("filename", "settings")

    def __init__(self, filename: str, settings: Settings) -> None:
        self.filename = filename
        self.settings = settings


def discover(
    paths: Sequence[str], configuration: Configuration
) -> tuple[list[Target], list[ConfigurationError]]:
    """The files below `paths`, each once, sorted by name; and the errors of unusable configurations.

    Files under a broken configuration are left out, because their settings are unknown.
    """
    walk = _Walk(configuration)
    for path in paths:
        walk.start(path)
    return list(walk.targets.values()), list(walk.errors.values())


def is_excluded(path: str, settings: Settings) -> bool:
    """Whether the path or a directory between it and the settings' root is excluded."""
    patterns = settings.exclude + settings.extend_exclude
    root = os.path.abspath(settings.root)
    while path.startswith(root + os.sep):
        if matches(path, patterns, root):
            return True
        path = os.path.dirname(path)
    return False


class _Walk:
    def __init__(self, configuration: Configuration) -> None:
        self.configuration = configuration
        self.targets: dict[str, Target] = {}
        self.errors: dict[str, ConfigurationError] = {}
        self._visited: set[tuple[int, int]] = set()
        self._named = ""

    def start(self, path: str) -> None:
        path = os.path.abspath(path)
        is_directory = os.path.isdir(path)
        settings = self._settings(path if is_directory else os.path.dirname(path))
        if settings is None or (settings.force_exclude and is_excluded(path, settings)):
            return
        if is_directory:
            self._directory(path, _ignores_above(path) if settings.respect_gitignore else ())
        else:
            self._add(path, settings)

    def _directory(self, path: str, ignores: tuple[_Ignore, ...]) -> None:
        """Walks a directory. Links are followed, but no directory is entered twice, so loops end."""
        self._named = path
        pending = [(path, ignores)]
        while pending:
            pending += reversed(self._listed(*pending.pop()))

    def _listed(self, path: str, ignores: tuple[_Ignore, ...]) -> list[tuple[str, tuple[_Ignore, ...]]]:
        """Adds the files of one directory; returns its subdirectories with the .gitignore files that apply there."""
        settings = self._settings(path)
        if settings is None:
            return []
        try:
            status = os.stat(path)
            entries = sorted(os.scandir(path), key=lambda entry: entry.name)
        except OSError as error:
            self.errors[path] = ConfigurationError(shown(path), None, f"cannot be listed: {error.strerror}")
            return []
        identity = (status.st_dev, status.st_ino)
        if identity in self._visited:
            return []
        self._visited.add(identity)
        if settings.respect_gitignore and any(entry.name == ".gitignore" for entry in entries):
            ignores = (*ignores, *_ignore_of(path))
        patterns = self._patterns(settings)
        directories = []
        for entry in entries:
            try:
                is_directory = entry.is_dir()
                if not is_directory and not entry.name.endswith(_READ):
                    continue
                # Skip dangling links (an editor's lock), pipes and sockets.
                if not is_directory and not stat.S_ISREG(entry.stat().st_mode):
                    continue
            except OSError:
                continue
            if matches(entry.path, patterns, settings.root) or _is_ignored(entry.path, is_directory, ignores):
                continue
            if is_directory:
                directories.append(entry.path)
            else:
                self._add(entry.path, settings)
        return [(directory, ignores) for directory in directories]

    def _patterns(self, settings: Settings) -> tuple[str, ...]:
        """The exclude patterns, without those that match the named directory: naming it overrides them."""
        patterns = settings.exclude + settings.extend_exclude
        if not matches(self._named, patterns, settings.root):
            return patterns
        return tuple(one for one in patterns if not matches(self._named, (one,), settings.root))

    def _add(self, path: str, settings: Settings) -> None:
        filename = shown(path)
        self.targets.setdefault(filename, Target(filename, settings))

    def _settings(self, directory: str) -> Settings | None:
        try:
            return self.configuration.settings(directory)
        except ConfigurationError as error:
            self.errors.setdefault(str(error), error)
            return None


class _Ignore:
    """One .gitignore: its patterns, and the directory that they are relative to."""

    __slots__ = ("directory", "spec")

    def __init__(self, directory: str, spec: GitIgnoreSpec) -> None:
        self.directory = directory
        self.spec = spec


def _ignore_of(directory: str) -> Iterator[_Ignore]:
    try:
        lines = read(os.path.join(directory, ".gitignore")).decode("utf-8", "surrogateescape").splitlines()
    except OSError:
        return
    lines = [line for line in lines if not _is_endless(line)]
    if any(line.strip() and not line.startswith("#") for line in lines):
        from pathspec import GitIgnoreSpec

        yield _Ignore(directory, GitIgnoreSpec.from_lines(lines))


#: Limits on wildcards per part of a pattern, and on `**` parts, so that matching ends in reasonable time.
_STARS = 3
_FOLDERS = 4


def _is_endless(pattern: str) -> bool:
    """Whether a pattern has so many wildcards that matching could take for ever: it is ignored, and hides nothing."""
    parts = pattern.split("/")
    return parts.count("**") > _FOLDERS or any(part.count("*") > _STARS for part in parts)


def _ignores_above(path: str) -> tuple[_Ignore, ...]:
    """The .gitignore files above `path` in its repository, outermost first."""
    above: list[str] = []
    directory = path
    while not os.path.exists(os.path.join(directory, ".git")):
        parent = os.path.dirname(directory)
        if parent == directory:
            return ()
        above.append(parent)
        directory = parent
    return tuple(ignore for directory in reversed(above) for ignore in _ignore_of(directory))


def _is_ignored(path: str, is_directory: bool, ignores: tuple[_Ignore, ...]) -> bool:
    for ignore in reversed(ignores):
        below = os.path.relpath(path, ignore.directory).replace(os.sep, "/")
        verdict = ignore.spec.check_file(below + "/" if is_directory else below).include
        if verdict is not None:
            return verdict
    return False
