"""Spells paths relative to the working directory if below it, else absolute; matches file patterns."""

from __future__ import annotations

import os

#: The directory that `shown` spells paths relative to; None: the working directory.
_base: str | None = None


def show_from(directory: str) -> None:
    """Spells paths relative to a directory from now on, wherever user code works."""
    global _base
    _base = directory


def shown(path: str) -> str:
    """The spelling of `path` that output, discovery and import resolution share."""
    path = os.path.abspath(path)
    here = _base or os.getcwd()
    if path == here:
        return "."
    prefix = here if here.endswith(os.sep) else here + os.sep
    return path[len(prefix) :] if path.startswith(prefix) else path


def relative(path: str, root: str) -> str:
    """`path` relative to `root` with forward slashes, if it lies below; else the absolute path."""
    path, root = os.path.abspath(path), os.path.abspath(root)
    prefix = root if root.endswith(os.sep) else root + os.sep
    below = path[len(prefix) :] if path.startswith(prefix) else path
    return below.replace(os.sep, "/")


def matches(path: str, patterns: tuple[str, ...], root: str) -> bool:
    """Whether a pattern matches the path's last part or, relative to `root`, the path or a directory above it."""
    if not patterns:
        return False
    if patterns not in _prepared:
        _prepared[patterns] = _prepare(patterns)
    plain, wild = _prepared[patterns]
    below = relative(path, root)
    parts = below.split("/")
    if parts[-1] in plain or parts[0] in plain:
        return True
    if any("/".join(parts[:end]) in plain for end in range(2, len(parts) + 1)):
        return True
    if not wild:
        return False
    from fnmatch import fnmatchcase

    return any(fnmatchcase(parts[-1], pattern) or fnmatchcase(below, pattern) for pattern in wild)


_prepared: dict[tuple[str, ...], tuple[frozenset[str], tuple[str, ...]]] = {}


def _prepare(patterns: tuple[str, ...]) -> tuple[frozenset[str], tuple[str, ...]]:
    """The patterns that are plain names or paths, and those with wildcards; `**/x` also means `x`."""
    tidy = [pattern.replace(os.sep, "/").removeprefix("./").rstrip("/") for pattern in patterns]
    wild = [pattern for pattern in tidy if any(mark in pattern for mark in "*?[")]
    wild += [pattern.removeprefix("**/") for pattern in wild if pattern.startswith("**/")]
    return frozenset(pattern for pattern in tidy if pattern not in wild), tuple(wild)
