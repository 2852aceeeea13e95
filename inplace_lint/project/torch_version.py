"""Determines the oldest PyTorch a project supports: as configured, else from its declared dependencies."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from .reading import read

if TYPE_CHECKING:
    from .settings import Settings

#: Files that declare dependencies; the first that mentions torch decides.
_FILES = ("pyproject.toml", "setup.cfg", "setup.py", "requirements.txt")
_REQUIREMENT = re.compile(
    rb"(?:^|[\"'\s])torch[ \t]*(?:\[[^\]]*\])?[ \t]*(?:=[ \t]*[\"'])?[ \t]*"
    rb"(==|>=|~=|>|\^|<=|<)[ \t]*v?(\d{1,4})(?:\.(\d{1,4}))?",
    re.MULTILINE,
)
_declared: dict[str, tuple[int, int] | None] = {}


def oldest(settings: Settings) -> tuple[int, int] | None:
    """(major, minor), or None if nothing is declared: then the newest PyTorch known is assumed."""
    if settings.target_torch is not None:
        major, _, rest = settings.target_torch.partition(".")
        return int(major), int(rest.partition(".")[0] or 0)
    if not os.path.isabs(settings.root):  # settings that belong to no project
        return None
    if settings.root not in _declared:
        _declared[settings.root] = _of_dependencies(settings.root)
    return _declared[settings.root]


def forget() -> None:
    """Forgets what was read, so that the files that declare dependencies are read anew."""
    _declared.clear()


def _of_dependencies(root: str) -> tuple[int, int] | None:
    for name in _FILES:
        try:
            found = _REQUIREMENT.findall(read(os.path.join(root, name)))
        except OSError:
            continue
        lower = [(int(major), int(minor or 0)) for sign, major, minor in found if sign[:1] != b"<"]
        upper = [(int(major), int(minor or 0) - (sign == b"<")) for sign, major, minor in found]
        if lower:
            return min(lower)
        if upper:  # only an upper bound: assume it, or where it is excluded the minor version before it
            return upper[0]
    return None
