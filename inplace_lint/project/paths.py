"""How paths are written: relative to the working directory when below it, absolute otherwise."""

from __future__ import annotations

import os


def shown(path: str) -> str:
    """The one spelling of `path` that output, discovery and import resolution share."""
    path = os.path.abspath(path)
    here = os.getcwd()
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
    """Whether a pattern names the path's last part or, relative to `root`, the path or a directory above."""
    if not patterns:
        return False
    below = relative(path, root)
    name = below.rsplit("/", 1)[-1]
    for pattern in patterns:
        pattern = pattern.replace(os.sep, "/").removeprefix("./").rstrip("/")
        if pattern in (name, below) or below.startswith(pattern + "/"):
            return True
        if any(wild in pattern for wild in "*?["):
            from fnmatch import fnmatchcase

            if fnmatchcase(name, pattern) or fnmatchcase(below, pattern):
                return True
            if pattern.startswith("**/") and fnmatchcase(below, pattern[3:]):
                return True
    return False
