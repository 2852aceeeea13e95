"""Finds the files of a project that mention a name, and notes that what is known of a file rests on them."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from ..project.package_files import answering, state_of
from ..project.paths import shown

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..syntax.files import Files
    from ..syntax.module import Module


def mentioning(
    files: Files,
    asking: Module,
    names: Iterable[str],
    folder: str,
    most: int,
    used: bytes | None = None,
) -> list[Module] | None:
    """The files below a folder with one of these names as a whole word, and with a match of `used`.

    `used` is a regular expression, taken line by line; without it each such file counts. The file `asking` is among
    them if it has one. None if there are more than `most`, or if one cannot be read. What was found in `asking` counts
    as stale once the answer would be another.
    """
    contents = files.project.contents
    path = os.path.abspath(asking.filename)
    found: dict[str, None] = {}
    for name in names:
        asked = name if used is None else f"{name}\0{used.decode('latin-1')}"
        contents.packages.setdefault(path, {})[folder, asked] = state_of(asked, folder, contents, path)
        paths = answering(asked, folder, contents)
        if paths is None:
            return None
        found.update(dict.fromkeys(paths))
    if len(found) > most:
        return None
    contents.rests_on.setdefault(path, set()).update(one for one in found if one != path)
    modules = [module for module in map(files.module, map(shown, sorted(found))) if module is not None]
    return modules if len(modules) == len(found) else None
