"""Reads files from disk or from an editor's unsaved buffers, and detects whether they have changed."""

from __future__ import annotations

import os
from stat import S_ISREG
from time import time_ns
from typing import TYPE_CHECKING

from .reading import read

try:
    # Of the interpreter's own: `hashlib` loads OpenSSL first, which takes as long as a small check.
    from _blake2 import blake2b as blake2b
except ImportError:
    from hashlib import blake2b as blake2b

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    #: when a file was written and last touched, how large it is, and which one it is
    Stamp = tuple[int, ...]

#: Nanoseconds in which a file may be written twice and look the same: of the coarsest clocks of file systems.
TICK = 2_000_000_000


def digest(content: bytes) -> str:
    """A name for what a file holds."""
    return blake2b(content, digest_size=16).hexdigest()


def stamp(path: str) -> Stamp | None:
    """What tells without reading it that a file was written; None for what is no file."""
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return None
    if not S_ISREG(found.st_mode):
        return None
    return (found.st_mtime_ns, found.st_ctime_ns, found.st_size, found.st_ino)


def is_settled(one: Stamp, now: int) -> bool:
    """Whether a file that is written from `now` on, as clocks tell, has another stamp."""
    return one[0] < now - TICK and one[1] < now - TICK


#: What is said of a file that held different things at different times.
UNSTABLE = ""


class Contents:
    """The files that projects consist of, and what was last seen of each."""

    def __init__(self) -> None:
        #: what stands for files on disk, by absolute path; and which of these files hold something else
        self.texts: dict[str, bytes] = {}
        self.unsaved: set[str] = set()
        self.are_files: dict[str, bool] = {}
        #: what was read, now or in earlier runs, where its stamp tells whether it changed
        self.seen: dict[str, tuple[Stamp, str]] = {}
        #: what each file held that was asked for; None for one that cannot be read
        self.held: dict[str, str | None] = {}
        #: files whose stamps are those that are known, as was looked up already
        self._unchanged: set[str] = set()
        #: the package that was looked through for the sake of a file, and what it was found to do (`attention`)
        self.packages: dict[str, tuple[str, str]] = {}
        self._latest: tuple[str, Stamp | None, bytes] = ("", None, b"")
        #: what single files do that decides about others (`attention`), with the names of what they held
        self.deeds: dict[str, tuple[str | None, str]] = {}
        #: what was found out about whole folders
        self.folders: dict[str, Any] = {}

    def is_file(self, path: str) -> bool:
        """Whether there is a file of this absolute path. What was once said is said again."""
        known = self.are_files.get(path)
        if known is None:
            known = self.are_files[path] = self._is_file(path)
        return known

    def _is_file(self, path: str) -> bool:
        return path in self.texts or os.path.isfile(path)

    def read(self, filename: str, pipes: bool = False) -> bytes:
        """The bytes of a file; with `pipes`, also what comes through a named pipe. Raises OSError."""
        path = os.path.abspath(filename)
        if path in self.texts:
            self._note(path, digest(self.texts[path]))
            return self.texts[path]
        before = stamp(path)  # what is written from now on is newer
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
        """The name of what the file of this absolute path holds now; None where it cannot be read."""
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
        """Whether anything has been said that may have changed since."""
        return bool(self.held or self.are_files or self.texts)

    def turn_to(self, texts: Mapping[str, bytes]) -> bool:
        """From now on these stand for files on disk. Whether there are other files than was said before."""
        self.texts = {}
        self._unchanged.clear()
        told = {os.path.abspath(filename): content for filename, content in texts.items()}
        self.unsaved = {path for path, content in told.items() if self.digest(path) != digest(content)}
        self.texts = told
        self._latest = ("", None, b"")
        self.folders.clear()
        self.held.clear()
        self._unchanged.clear()
        if all(self._is_file(path) == known for path, known in self.are_files.items()):
            return False
        self.are_files.clear()
        return True
