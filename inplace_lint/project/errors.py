"""Defines the error of a configuration that cannot be used."""

from __future__ import annotations


class ConfigurationError(Exception):
    """A configuration cannot be used: which file, which line if known, what is wrong."""

    def __init__(self, filename: str, line: int | None, message: str) -> None:
        super().__init__(filename, line, message)
        self.filename = filename
        self.line = line
        self.message = message

    def __str__(self) -> str:
        place = self.filename if self.line is None else f"{self.filename}:{self.line}"
        return f"{place}: {self.message}"


class WrongEntry(ValueError):
    """One entry of a table in the configuration is wrong; `key` is its key in that table."""

    def __init__(self, key: str, message: str) -> None:
        super().__init__(message)
        self.key = key
