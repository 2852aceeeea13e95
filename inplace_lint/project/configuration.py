"""Finds the settings for a directory: the nearest inplace-lint.toml, or pyproject.toml with our table."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from . import tables
from .errors import ConfigurationError
from .paths import shown
from .settings import Settings

if TYPE_CHECKING:
    from collections.abc import Callable

#: Looked for in this order in each directory, from the checked file's upwards.
FILENAMES = ("inplace-lint.toml", "pyproject.toml")


class Configuration:
    """The settings in force in each directory.

    `overrides` (attribute of Settings: value) come from the command line and win over every file; `more_ignored` adds
    to the rules that files ignore. `file`, if given, is the only file read; `isolated` reads none. `selector_problem`
    returns what is wrong with a rule's code or name, or None.
    """

    def __init__(
        self,
        overrides: dict[str, Any] | None = None,
        more_ignored: tuple[str, ...] = (),
        file: str | None = None,
        isolated: bool = False,
        selector_problem: Callable[[str], str | None] = lambda selector: None,
    ) -> None:
        self._overrides = overrides or {}
        self._more_ignored = more_ignored
        self._file = file
        self._isolated = isolated
        self._selector_problem = selector_problem
        self._known: dict[str, Settings | ConfigurationError] = {}

    def afresh(self) -> Configuration:
        """A copy that has read no file yet."""
        return Configuration(
            self._overrides, self._more_ignored, self._file, self._isolated, self._selector_problem
        )

    def settings(self, directory: str) -> Settings:
        """The settings for files in `directory`. Raises ConfigurationError, each time for a broken one."""
        directory = os.path.abspath(directory)
        # Top down, so that a tree of any depth is read without recursion.
        above = [directory]
        while above[-1] not in self._known and os.path.dirname(above[-1]) != above[-1]:
            above.append(os.path.dirname(above[-1]))
        for one in reversed(above):
            if one not in self._known:
                try:
                    self._known[one] = self._load(one)
                except ConfigurationError as error:
                    self._known[one] = error
        known = self._known[directory]
        if isinstance(known, ConfigurationError):
            raise known
        return known

    def _load(self, directory: str) -> Settings:
        if self._file is not None:
            values = tables.read(self._file, self._selector_problem)
            if values is None:
                raise ConfigurationError(shown(self._file), None, "has no [tool.inplace-lint] table")
            return self._settings(values, os.path.dirname(os.path.abspath(self._file)), self._file)
        for name in () if self._isolated else FILENAMES:
            path = os.path.join(directory, name)
            values = tables.read(path, self._selector_problem) if os.path.isfile(path) else None
            if values is not None:
                return self._settings(values, directory, path)
        parent = os.path.dirname(directory)
        if parent == directory:
            return self._settings({}, os.getcwd(), None)
        above = self.settings(parent)
        # Without a configuration the root is the top of the repository or package; fingerprints are relative to it.
        if above.config_file is None and any(
            os.path.exists(os.path.join(directory, name)) for name in (".git", "pyproject.toml")
        ):
            return replace(above, root=directory)
        return above

    def _settings(self, values: dict[str, Any], root: str, file: str | None) -> Settings:
        values = {**values, **self._overrides}
        values["ignore"] = (*values.get("ignore", ()), *self._more_ignored)
        settings = Settings(root=root, config_file=None if file is None else shown(file), **values)
        if not settings.select and not settings.extend_select:
            name, line = "--config", None
            if file is not None and "select" not in self._overrides:
                name, line = shown(file), tables.line_of(file, "select")
            message = '`select` is empty, so no rule would be checked: leave it out, or say ["ALL"]'
            raise ConfigurationError(name, line, message)
        if settings.models:
            from .in_sight import problem

            found = problem(settings)
            if found is not None:
                raise ConfigurationError(settings.config_file or "--config", *found)
        return settings
