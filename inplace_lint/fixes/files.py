"""Replaces a changed file atomically, and shows a change as a unified diff."""

from __future__ import annotations

import difflib
import errno
import os
import tempfile
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from io import FileIO


class Changed(OSError):
    """Someone else has written the file since it was read."""


def write(filename: str, before: bytes, source: bytes, root: str) -> None:
    """Replaces the file's content through a temporary file beside it, so that nobody sees half of it.

    Owner and mode are kept. A file that is read-only is refused, as to any editor: its folder alone would let it be
    replaced. One with several hard links, whose owner cannot be set, or whose folder is read-only is overwritten in
    place. A symlink is followed only within the project's `root`. Raises OSError; the file is then as it was.
    """
    target = os.path.realpath(filename)
    if _leads_out(filename, target, root):
        raise OSError(
            errno.EPERM, f"it is reached by a link out of the project, to {target}; name that file to fix it"
        )
    with open(target, "r+b"):  # raises where the file may not be written, and changes nothing
        pass
    handle, name, is_beside = _temporary(os.path.dirname(target))
    try:
        with os.fdopen(handle, "wb", 0) as file:
            _put(file, source)
        found = os.stat(target)
        replaceable = is_beside and found.st_nlink == 1 and _given(name, found)
        os.chmod(name, found.st_mode & 0o7777)
        with open(target, "rb") as file:
            if file.read() != before:
                raise Changed(errno.EBUSY, "it has been changed meanwhile, and is left as it is; run again")
        if replaceable:
            os.replace(name, target)
            return
        _overwrite(target, before, source, name)
        os.unlink(name)
    except _Spoilt:
        raise
    except BaseException:
        if os.path.exists(name):
            os.unlink(name)
        raise


class _Spoilt(OSError):
    """The file holds neither the old text nor the new one; a temporary file holds the new one."""


def _temporary(folder: str) -> tuple[int, str, bool]:
    """A new temporary file, open; whether it lies in this folder, as it does if that may be written."""
    try:
        return *tempfile.mkstemp(prefix=".inplace-lint-", dir=folder), True
    except OSError as error:
        if error.errno not in (errno.EACCES, errno.EPERM, errno.EROFS):
            raise
    return *tempfile.mkstemp(prefix="inplace-lint-"), False


def _overwrite(target: str, before: bytes, source: bytes, kept: str) -> None:
    """Writes the text into the file itself; `kept` holds it whole, for whom the process is killed meanwhile."""
    with open(target, "r+b", 0) as file:
        try:
            _put(file, source)
        except BaseException:
            try:
                file.seek(0)
                _put(file, before)
            except OSError as error:
                raise _Spoilt(
                    error.errno, f"{error.strerror}; it is cut short, and {kept} holds its new text"
                ) from error
            raise


def _put(file: FileIO, text: bytes) -> None:
    """Writes the text as the whole of the file, down to the disk; no buffer keeps some of it for later."""
    left = memoryview(text)
    while left:
        left = left[file.write(left) :]
    file.truncate()
    os.fsync(file.fileno())


def _given(name: str, found: os.stat_result) -> bool:
    """Gives the file the owner and group that `found` has. Returns whether that worked."""
    own = os.stat(name)
    if (own.st_uid, own.st_gid) == (found.st_uid, found.st_gid):
        return True
    try:
        os.chown(name, found.st_uid, found.st_gid)
    except OSError:
        return False
    return True


def _leads_out(filename: str, target: str, root: str) -> bool:
    """Whether a file named within the project is, through a link, outside of it."""
    own, inside = os.path.abspath(filename), os.path.abspath(root)
    return _lies_in(own, inside) and not _lies_in(target, os.path.realpath(root))


def _lies_in(path: str, folder: str) -> bool:
    return path.startswith(os.path.join(folder, ""))


def diff(filename: str, before: bytes, after: bytes) -> str:
    """The change as a unified diff, empty if there is none. Line ends appear as they are in the file."""
    from .text import SourceText

    if before == after:
        return ""
    old, new = (SourceText(source).text.split("\n") for source in (before, after))
    old, new = ([f"{line}\n" for line in lines[:-1]] + lines[-1:] * bool(lines[-1]) for lines in (old, new))
    return "".join(
        line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"
        for line in difflib.unified_diff(old, new, _quoted(filename), _quoted(filename))
    )


def _quoted(filename: str) -> str:
    """The name as git quotes it: one with line ends or other unprintable characters in quotes, in octal."""
    if filename.isprintable():
        return filename
    shown = "".join(
        chr(octet) if 32 <= octet < 127 and octet not in b'"\\' else "\\" + format(octet, "03o")
        for octet in os.fsencode(filename)
    )
    return f'"{shown}"'
