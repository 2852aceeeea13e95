"""Finds, by text, the files below a folder that set an attribute of some object which they hold: `net.act = Mine()`.

What a method sets of its own object is left out: that is found by the classes. Text in comments and strings counts too.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from .contents import digest
from .package_files import texts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .contents import Contents

#: `held.name = …`, also with an annotation, an index or an operator before the sign.
_SET = re.compile(
    rb"([\w\])]+)\.(\w+)(?:\[[^\]\n]*\])?[ \t]*(?::[^=\n]{1,60})?(?:[-+*/@|&^%]|//|\*\*|<<|>>)?=(?!=)"
)
#: Functions that set the attribute whose name they are given: those of Python, `unittest.mock` and pytest.
_BY_NAME = re.compile(
    rb"\b(?:setattr|__setattr__|delattr|patch|object)\(\s*([\w.]*)[^\"'()]{0,200}[\"'](?:[\w.]*\.)?(\w+)[\"']"
)
#: A statement that stands so far in is taken to be in a method of a class.
_IN_A_METHOD = 8

#: The names that texts set, by their digests: a server and tests look through the same files again and again.
_known: dict[str, frozenset[bytes]] = {}
_KNOWN = 20_000


def setting(name: str, folder: str, contents: Contents) -> tuple[str, ...] | None:
    """The files below a folder whose text sets an attribute of this name, in a fixed order; None: there is too much."""
    if folder not in contents.stored_below:
        contents.stored_below[folder] = _index(folder, contents)
    index = contents.stored_below[folder]
    return None if index is None else index.get(name.encode(), ())


def state_of(name: str, folder: str, contents: Contents) -> str:
    """A text that changes whenever `setting` has another answer."""
    found = setting(name, folder, contents)
    return "?" if found is None else digest("\n".join(found).encode(errors="replace"))


def _index(folder: str, contents: Contents) -> dict[bytes, tuple[str, ...]] | None:
    files = texts(folder, contents)
    if files is None:
        return None
    found: dict[bytes, dict[str, None]] = {}
    for path, text in files:
        held = contents.held.get(path) or digest(text)
        names = _known.get(held)
        if names is None:
            if len(_known) >= _KNOWN:
                _known.clear()
            names = _known[held] = frozenset(_names(text))
        for name in sorted(names):
            found.setdefault(name, {})[os.path.relpath(path, folder)] = None
    return {name: tuple(paths) for name, paths in found.items()}


def _names(text: bytes) -> Iterator[bytes]:
    for pattern in (_SET, _BY_NAME):
        for match in pattern.finditer(text):
            held, name = match.groups()
            begin = text.rfind(b"\n", 0, match.start()) + 1
            indent = len(text[begin : match.start()]) - len(text[begin : match.start()].lstrip(b" "))
            if held != b"self" or indent < _IN_A_METHOD:
                yield name
