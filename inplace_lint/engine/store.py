"""Reads and writes the cache directory, without harm to any file that is not the cache's own.

Each file is signed with a key that only the user can read. A cache that came with a repository, or that was damaged,
is ignored.
"""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from time import time_ns
from typing import TYPE_CHECKING

from ..project.contents import blake2b

if TYPE_CHECKING:
    from collections.abc import Iterator

NAME = ".inplace_lint_cache"
#: The ending of the cache's own files. Their names begin with a digest of the project, up to a dash; the rest stands
#: for one version of the tool and of Python, and one configuration.
ENDING = ".findings"
_PART = ".part"
#: Per project, this many of the latest files are kept, and none for longer than so many nanoseconds (90 days).
_KEPT = 8
_AGE = 90 * 86_400 * 10**9
#: After this many nanoseconds (an hour) a temporary file is abandoned: nobody is still writing it.
_ABANDONED = 3600 * 10**9
#: A larger file is not read: this tool never writes one.
_LARGEST = 1 << 28
_SIGNATURE = 32
_TAG, _IGNORE = "CACHEDIR.TAG", ".gitignore"
#: The tag of bford.info/cachedir: backups skip such directories.
_TAG_TEXT = b"""Signature: 8a477f597d28d172789f06886806bc55
# This directory holds what inplace-lint remembers between runs. `inplace-lint clean` removes it.
"""


def load(directory: str, name: str) -> bytes | None:
    """What was saved under this name; None if nothing was, or the signature does not match."""
    path = os.path.join(directory, name + ENDING)
    key = _key(make=False)
    if key is None or not _is_own(directory):
        return None
    try:
        if os.path.getsize(path) > _LARGEST or not stat.S_ISREG(os.lstat(path).st_mode):
            return None
        with open(path, "rb") as file:
            content = file.read()
    except OSError:
        return None
    signature, body = content[:_SIGNATURE], content[_SIGNATURE:]
    return body if signature == _signature(key, name, body) else None


def save(directory: str, name: str, body: bytes) -> bool:
    """Saves `body` under the name, atomically. Returns whether it could be written."""
    key = _key(make=True)
    if key is None or len(body) > _LARGEST - _SIGNATURE or not _made(directory):
        return False
    if not _put(os.path.join(directory, name + ENDING), _signature(key, name, body) + body):
        return False
    _tidy(directory, os.path.join(directory, name.partition("-")[0] + "-"))
    return True


def _tidy(directory: str, project: str) -> None:
    """Removes files that no later run is likely to read."""
    now = time_ns()
    files = _files(directory)
    of_project = [path for path in files if path.startswith(project)]
    outlived = [path for path in files if _time(path) < now - _AGE]
    abandoned = [path for path in _left_behind(directory) if _time(path) < now - _ABANDONED]
    for path in (*of_project[_KEPT:], *outlived, *abandoned):
        _remove(path)


def saved_at(directory: str, name: str) -> int:
    """The write time of what was saved under this name, in nanoseconds; 0 if nothing was."""
    try:
        return os.stat(os.path.join(directory, name + ENDING)).st_mtime_ns
    except OSError:
        return 0


def clean(directory: str) -> bool:
    """Removes a cache, but none of the other files in its directory. Returns whether there was one. Raises OSError."""
    if not _is_own(directory):
        return False
    for path in (*_files(directory), *_left_behind(directory)):
        os.remove(path)
    for name in (_IGNORE, _TAG):  # the tag last: without it a second attempt would refuse the directory
        path = os.path.join(directory, name)
        if os.path.lexists(path):
            os.remove(path)
    if not os.listdir(directory):
        os.rmdir(directory)
    return True


def _signature(key: bytes, name: str, body: bytes) -> bytes:
    said = blake2b(name.encode(), digest_size=16).digest()
    return blake2b(body, key=key, person=said, digest_size=_SIGNATURE).digest()


def _is_own(directory: str) -> bool:
    """Whether the directory was made as a cache: it is no symlink and has the tag."""
    try:
        if not stat.S_ISDIR(os.lstat(directory).st_mode):
            return False
        with open(os.path.join(directory, _TAG), "rb") as file:
            return file.read(len(_TAG_TEXT) + 1) == _TAG_TEXT
    except OSError:
        return False


def _made(directory: str) -> bool:
    """Makes the cache directory if there is none. Returns False for a directory that is not a cache's."""
    if _is_own(directory):
        return True
    try:
        os.makedirs(os.path.dirname(directory), exist_ok=True)
        os.mkdir(directory)
    except FileExistsError:
        # Another run is making it now, or was killed while it did: then it holds nothing else.
        try:
            if not stat.S_ISDIR(os.lstat(directory).st_mode):
                return False
            if any(name != _IGNORE and not name.endswith(_PART) for name in os.listdir(directory)):
                return _is_own(directory)
        except OSError:
            return False
    except OSError:
        return False
    tagged = _put(os.path.join(directory, _IGNORE), b"*\n")
    return tagged and _put(os.path.join(directory, _TAG), _TAG_TEXT)


def _files(directory: str) -> list[str]:
    """The files of a cache, newest first."""
    paths = [path for path in _entries(directory) if path.endswith(ENDING)]
    return sorted(paths, key=_time, reverse=True)


def _left_behind(directory: str) -> Iterator[str]:
    """The temporary files of runs that were killed."""
    return (path for path in _entries(directory) if path.endswith(_PART))


def _entries(directory: str) -> list[str]:
    try:
        return [entry.path for entry in os.scandir(directory) if not entry.is_dir(follow_symlinks=False)]
    except OSError:
        return []


def _time(path: str) -> int:
    try:
        return os.lstat(path).st_mtime_ns
    except OSError:
        return 0


def _remove(path: str) -> None:
    with suppress(OSError):
        os.remove(path)


def _put(path: str, content: bytes, mode: int = 0o666) -> bool:
    """Writes a file atomically: readers see the old content or the new. Returns whether it could be written."""
    part = f"{path}.{os.getpid()}.{os.urandom(4).hex()}{_PART}"
    try:
        handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), mode)
    except OSError:
        return False
    try:
        with open(handle, "wb") as file:
            file.write(content)
        os.replace(part, path)
    except OSError:
        _remove(part)
        return False
    return True


def _key(make: bool) -> bytes | None:
    """The user's signing key, made on first use if `make`; None if there is none, or none can be kept."""
    home = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser(os.path.join("~", ".cache"))
    if not os.path.isabs(home):
        return None
    path = os.path.join(home, "inplace-lint", "key")
    key = _key_in(path)
    if key is None and make and not os.path.lexists(path):
        try:
            os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        except OSError:
            return None
        # If two runs make a key at once, the later wins; what the other saves is then ignored.
        _put(path, os.urandom(_SIGNATURE), mode=0o600)
        key = _key_in(path)
    return key


def _key_in(path: str) -> bytes | None:
    try:
        with open(path, "rb") as file:
            status = os.fstat(file.fileno())
            others = (
                status.st_mode & 0o077 or status.st_uid != os.getuid() if hasattr(os, "getuid") else False
            )
            key = file.read(_SIGNATURE + 1)
    except OSError:
        return None
    return key if len(key) == _SIGNATURE and not others else None
