"""What files hold, on disk or in an editor that has not saved them; and whether it still is what was read."""

from __future__ import annotations

import os
from stat import S_ISREG
from time import time_ns

from .reading import read

try:
    # Of the interpreter's own: `hashlib` loads OpenSSL first, which takes as long as a small check.
    from _blake2 import blake2b
except ImportError:
    from hashlib import blake2b

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    #: when a file was written, how large it is, and which one it is
    Stamp = tuple[int, int, int]

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
    return (found.st_mtime_ns, found.st_size, found.st_ino) if S_ISREG(found.st_mode) else None


class Contents:
    """The files that projects consist of, and what was last seen of each."""

    def __init__(self) -> None:
        #: what stands for files on disk, by absolute path
        self.unsaved: dict[str, bytes] = {}
        self._are_files: dict[str, bool] = {}
        #: what was read, where its stamp tells whether it changed
        self._seen: dict[str, tuple[Stamp, str]] = {}
        self._latest: tuple[str, Stamp | None, bytes] = ("", None, b"")
        #: what was found out about whole folders
        self.folders: dict[str, Any] = {}

    def is_file(self, path: str) -> bool:
        """Whether there is a file of this absolute path. What was once said is said again."""
        known = self._are_files.get(path)
        if known is None:
            known = self._are_files[path] = self._is_file(path)
        return known

    def _is_file(self, path: str) -> bool:
        return path in self.unsaved or os.path.isfile(path)

    def read(self, filename: str, pipes: bool = False) -> bytes:
        """The bytes of a file; with `pipes`, also what comes through a named pipe. Raises OSError."""
        path = os.path.abspath(filename)
        if path in self.unsaved:
            return self.unsaved[path]
        before = stamp(path)  # what is written from now on is newer
        if before is not None and self._latest[:2] == (path, before):
            return self._latest[2]
        content = read(filename, pipes)
        self._latest = (path, before, content)
        self._seen.pop(path, None)
        if before is not None and before[0] < time_ns() - TICK:
            self._seen[path] = (before, digest(content))
        return content

    def digest(self, filename: str) -> str | None:
        """The name of what a file holds now; None where it cannot be read."""
        path = os.path.abspath(filename)
        if path in self.unsaved:
            return digest(self.unsaved[path])
        seen = self._seen.get(path)
        if seen is not None and seen[0] == stamp(path):
            return seen[1]
        try:
            return digest(self.read(path))
        except OSError:
            return None

    def turn_to(self, unsaved: Mapping[str, bytes]) -> bool:
        """From now on these stand for files on disk. Whether there are other files than was said before."""
        self.unsaved = {os.path.abspath(filename): content for filename, content in unsaved.items()}
        self._latest = ("", None, b"")
        self.folders.clear()
        if all(self._is_file(path) == known for path, known in self._are_files.items()):
            return False
        self._are_files.clear()
        return True
