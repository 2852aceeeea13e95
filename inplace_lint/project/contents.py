"""Reads files from disk or from an editor's unsaved buffers, and detects whether they have changed."""

from __future__ import annotations

import os
from stat import S_ISREG
from time import time_ns
from typing import TYPE_CHECKING

from .reading import read

try:
    # The interpreter's own module: `hashlib` loads OpenSSL first, which takes as long as a small check.
    from _blake2 import blake2b as blake2b
except ImportError:
    from hashlib import blake2b as blake2b

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    #: write time, change time, size and inode of a file
    Stamp = tuple[int, ...]

#: Nanoseconds within which a file can be written twice with one time stamp: the coarsest clock of file systems (2 s).
TICK = 2_000_000_000


def digest(content: bytes) -> str:
    """The digest that stands for a file's content."""
    return blake2b(content, digest_size=16).hexdigest()


def stamp(path: str) -> Stamp | None:
    """The stamp by which a write is noticed without reading the file; None if there is no regular file."""
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return None
    if not S_ISREG(found.st_mode):
        return None
    return (found.st_mtime_ns, found.st_ctime_ns, found.st_size, found.st_ino)


def is_settled(one: Stamp, now: int) -> bool:
    """Whether any write from `now` on will change this stamp, given the resolution of clocks."""
    return one[0] < now - TICK and one[1] < now - TICK


#: The digest of a file that held different contents at different times.
UNSTABLE = ""


class Contents:
    """The files that projects consist of, and what was last read or looked up of each."""

    def __init__(self) -> None:
        #: by absolute path, texts that replace files on disk; and those of them that differ from the disk
        self.texts: dict[str, bytes] = {}
        self.unsaved: set[str] = set()
        self.are_files: dict[str, bool] = {}
        #: by path, stamp and digest of what was read in this run or an earlier one; the stamp tells if it changed
        self.seen: dict[str, tuple[Stamp, str]] = {}
        #: by path, the digest of each file that was asked for; None if it cannot be read
        self.held: dict[str, str | None] = {}
        #: files whose stamp has been compared already, and is that in `seen`
        self._unchanged: set[str] = set()
        #: by path of a file, what was asked on its behalf of all files below a folder, with the answers: of a name,
        #: where it stands (`package_files.state_of`); of a dot and a name, how many set an attribute of that
        #: name; of "", what the files do (both `prefilter.package_uses`)
        self.packages: dict[str, dict[tuple[str, str], str]] = {}
        #: by path of a file, files that its findings rest on besides those that it imports: its functions' callers
        self.rests_on: dict[str, set[str]] = {}
        self._latest: tuple[str, Stamp | None, bytes] = ("", None, b"")
        #: by path, a file's digest, and the summary of what it does that affects other files (`prefilter.package_uses`)
        self.deeds: dict[str, tuple[str | None, str]] = {}
        #: by path of a folder, the summary of the files in it
        self.folders: dict[str, Any] = {}
        #: by path of a folder, the paths and texts of the Python files below it (`package_files`)
        self.texts_below: dict[str, list[tuple[str, bytes]] | None] = {}
        #: by path of a folder, and by name of a method, the file of each of its definitions (`package_files`)
        self.methods_below: dict[str, dict[str, list[str]]] = {}
        #: by what was asked of the files below a folder, those that answer it (`package_files.answering`)
        self.answers: dict[tuple[str, str], list[str] | None] = {}
        #: by pattern, whether the file of a path has a match of it
        self.matches: dict[str, dict[str, bool]] = {}
        #: by path, how often a text was searched for a word, and its words where that was often
        self.searches: dict[str, int] = {}
        self.words: dict[str, frozenset[bytes]] = {}

    def is_file(self, path: str) -> bool:
        """Whether there is a file at this absolute path. The first answer is kept until `turn_to`."""
        known = self.are_files.get(path)
        if known is None:
            known = self.are_files[path] = self._is_file(path)
        return known

    def _is_file(self, path: str) -> bool:
        return path in self.texts or os.path.isfile(path)

    def read(self, filename: str, pipes: bool = False) -> bytes:
        """The bytes of a file; with `pipes`, also those of an open pipe. Raises OSError."""
        path = os.path.abspath(filename)
        if path in self.texts:
            self._note(path, digest(self.texts[path]))
            return self.texts[path]
        before = stamp(path)  # taken first: a write during the reading must make a newer stamp
        if before is not None and self._latest[:2] == (path, before):
            return self._latest[2]
        self.seen.pop(path, None)
        self._unchanged.discard(path)
        try:
            content = read(filename, pipes)
        except OSError:
            self._note(path, None)
            raise
        held = digest(content)
        self._note(path, held)
        if before is not None and is_settled(before, time_ns()):
            self.seen[path] = (before, held)
            self._latest = (path, before, content)
        return content

    def _note(self, path: str, held: str | None) -> None:
        self.held[path] = held if self.held.get(path, held) == held else UNSTABLE

    def digest(self, path: str) -> str | None:
        """The digest of the file's current content, by absolute path; None if it cannot be read."""
        if path in self.texts:
            held = digest(self.texts[path])
            self._note(path, held)
            return held
        seen = self.seen.get(path)
        if seen is not None and (path in self._unchanged or seen[0] == stamp(path)):
            self._unchanged.add(path)
            self._note(path, seen[1])
            return seen[1]
        try:
            return digest(self.read(path))
        except OSError:
            return None

    def was_asked(self) -> bool:
        """Whether anything was read or looked up that may have changed since."""
        return bool(self.held or self.are_files or self.texts)

    def turn_to(self, texts: Mapping[str, bytes]) -> bool:
        """Replaces the unsaved texts, and re-reads files from now on. Returns whether files were added or removed."""
        self.texts = {}
        self._unchanged.clear()
        told = {os.path.abspath(filename): content for filename, content in texts.items()}
        self.unsaved = {path for path, content in told.items() if self.digest(path) != digest(content)}
        self.texts = told
        self._latest = ("", None, b"")
        self.folders.clear()
        self.texts_below.clear()
        self.methods_below.clear()
        self.answers.clear()
        self.matches.clear()
        self.searches.clear()
        self.words.clear()
        self.held.clear()
        self._unchanged.clear()
        if all(self._is_file(path) == known for path, known in self.are_files.items()):
            return False
        self.are_files.clear()
        return True
