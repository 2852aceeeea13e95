"""Finds the Python files of the package, or of the project, around a file, and which of them contain a name."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from .contents import digest
from .settings import EXCLUDE

if TYPE_CHECKING:
    from .contents import Contents

#: Folders that hold no code of the project.
_PASSED_OVER = frozenset(EXCLUDE.split()) | {"dist-packages"}
#: Limits of a search: files and folders of any kind below the folder, bytes of Python. Beyond these it is not made.
_MOST_ENTRIES = 60_000
_MOST_BYTES = 96_000_000


def topmost_package(directory: str) -> str | None:
    """The topmost folder of the packages that contain `directory`; None if it is not a package."""
    top = None
    while os.path.isfile(os.path.join(directory, "__init__.py")):
        top, directory = directory, os.path.dirname(directory)
    return top


def folders_around(filename: str, root: str) -> list[str]:
    """The folders in which callers of a file's functions are looked for: its package, then the project at `root`."""
    directory = os.path.dirname(os.path.abspath(filename))
    top = topmost_package(directory)
    found = [] if top is None else [top]
    below = os.path.relpath(directory, root).split(os.sep)
    if root not in found and os.pardir not in below and not _PASSED_OVER.intersection(below):
        found.append(root)
    return found


def project_folder(filename: str, root: str) -> str | None:
    """The widest of these folders, at least its own; None for a text that is no file, to which nothing else belongs."""
    if not os.path.isfile(filename):
        return None
    return min(folders_around(filename, root), key=len, default=os.path.dirname(os.path.abspath(filename)))


def python_files(folder: str) -> list[str] | None:
    """The paths of all Python files below a folder, in a fixed order; None if there is too much below it."""
    found: list[str] = []
    entries = 0
    for around, folders, files in os.walk(folder):
        entries += len(folders) + len(files)
        if entries > _MOST_ENTRIES:
            return None
        folders[:] = sorted(name for name in folders if name not in _PASSED_OVER)
        found += [os.path.join(around, name) for name in sorted(files) if name.endswith(".py")]
    return found


def containing(name: str, folder: str, contents: Contents) -> list[str] | None:
    """The files below a folder whose text has a name as a whole word, in a fixed order; None if there is too much."""
    found = texts(folder, contents)
    if found is None:
        return None
    word = name.encode(errors="surrogateescape")
    return [path for path, text in found if word in text and _has_word(path, text, word, contents)]


#: After so many searches of one text for words its words are listed: each class of a large file asks for its name.
_SEARCHES = 16


def _has_word(path: str, text: bytes, word: bytes, contents: Contents) -> bool:
    """Whether a text has a whole word of ASCII letters, or any other bytes between the bounds of words."""
    searches = contents.searches[path] = contents.searches.get(path, 0) + 1
    if searches <= _SEARCHES or not (word.isascii() and word.decode().isidentifier()):
        return re.search(rb"\b%s\b" % re.escape(word), text) is not None
    if path not in contents.words:
        contents.words[path] = frozenset(re.findall(rb"\w+", text))
    return word in contents.words[path]


def answering(asked: str, folder: str, contents: Contents) -> list[str] | None:
    """The files below a folder that contain a name, as `containing` finds them, kept as long as their texts are.

    What is asked is the name, and after a zero perhaps a pattern: then only files with a match of it count.
    """
    key = (asked, folder)
    if key not in contents.answers:
        name, _, pattern = asked.partition("\0")
        found = containing(name, folder, contents)
        if found and pattern:
            found = [path for path in found if _matches(path, pattern, contents)]
        contents.answers[key] = found
    return contents.answers[key]


def _matches(path: str, pattern: str, contents: Contents) -> bool:
    """Whether a file has a match of a pattern, looked for once: one pattern is asked with the name of each class."""
    known = contents.matches.setdefault(pattern, {})
    if path not in known:
        used = re.compile(pattern.encode("latin-1"), re.MULTILINE)
        known[path] = used.search(contents.read(path)) is not None
    return known[path]


def state_of(asked: str, folder: str, contents: Contents, asking: str) -> str:
    """A text that changes whenever `answering` has another answer, or one of its files another content.

    The file `asking` itself is left out: what is known of it is stale anyway once it changes.
    """
    if asked.startswith(METHODS):
        return _state_of_methods(asked, folder, contents)
    found = answering(asked, folder, contents)
    if found is None:
        return "?"
    held = [f"{os.path.relpath(path, folder)} {contents.digest(path)}" for path in found if path != asking]
    return digest("\n".join(held).encode(errors="replace"))


#: A method, or a function within another; and what is left of one that subclasses define.
_METHOD = re.compile(rb"^([ \t]+)(?:async )?def ([A-Za-z_]\w*)\(", re.MULTILINE)
_PLACEHOLDER = re.compile(
    rb"[^\n]*:\s*(?:\"\"\".*?\"\"\"\s*)?(?:raise NotImplementedError\b|pass\b|\.\.\.)[^\n]*", re.DOTALL
)
_NEXT = re.compile(rb"\s*\n([ \t]*)\S")
#: Begins a question about methods: the names follow, with commas between.
METHODS = "\1"


def defining_only(name: str, folder: str, contents: Contents) -> str | None:
    """The file below a folder with the only method of a name, placeholders left aside; None if there is no such."""
    found = _methods_below(folder, contents).get(name, [])
    return found[0] if len(found) == 1 else None


def _methods_below(folder: str, contents: Contents) -> dict[str, list[str]]:
    """By name of a method, the file of each of its definitions."""
    known = contents.methods_below.get(folder)
    if known is None:
        known = contents.methods_below[folder] = {}
        for path, text in texts(folder, contents) or ():
            for match in _METHOD.finditer(text):
                if not _is_placeholder(text, match.end(), len(match[1])):
                    known.setdefault(match[2].decode(), []).append(path)
    return known


def _is_placeholder(text: bytes, start: int, indented: int) -> bool:
    """Whether a method whose arguments begin at `start` has nothing to do, in this class."""
    body = _PLACEHOLDER.match(text, start)
    after = None if body is None else _NEXT.match(text, body.end())
    return body is not None and (after is None or len(after[1]) <= indented)


def note_methods(names: list[str], folder: str, contents: Contents, asking: str) -> None:
    """Note that what is known of the file `asking` rests on which methods have these names."""
    asked = METHODS + ",".join(sorted(names))
    noted = contents.packages.setdefault(asking, {})
    if (folder, asked) not in noted:
        noted[folder, asked] = _state_of_methods(asked, folder, contents)


def _state_of_methods(asked: str, folder: str, contents: Contents) -> str:
    held = []
    for name in asked[len(METHODS) :].split(","):
        path = defining_only(name, folder, contents)
        held.append(name if path is None else f"{name} {contents.digest(path)}")
    return digest("\n".join(held).encode(errors="replace"))


def texts(folder: str, contents: Contents) -> list[tuple[str, bytes]] | None:
    """The texts of all files below a folder, kept in `contents` as long as nothing may have changed."""
    if folder not in contents.texts_below:
        contents.texts_below[folder] = _read(folder, contents)
    return contents.texts_below[folder]


def _read(folder: str, contents: Contents) -> list[tuple[str, bytes]] | None:
    found: list[tuple[str, bytes]] = []
    size = 0
    paths = python_files(folder)
    if paths is None:
        return None
    for path in paths:
        try:
            text = contents.read(path)
        except OSError:
            continue
        size += len(text)
        found.append((path, text))
        if size > _MOST_BYTES:
            return None
    return found
