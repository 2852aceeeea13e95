"""Replaces a changed file atomically, and shows a change as a unified diff."""

from __future__ import annotations

import difflib
import errno
import os
import tempfile


class Changed(OSError):
    """Someone else has written the file since it was read."""


def write(filename: str, before: bytes, source: bytes, root: str) -> None:
    """Replaces the file's content through a temporary file beside it, so that nobody sees half of it.

    Owner and mode are kept. A file with several hard links, or whose owner cannot be set, is overwritten in place. A
    symlink is followed only within the project's `root`. Raises OSError; the file is then as it was.
    """
    target = os.path.realpath(filename)
    if _leads_out(filename, target, root):
        raise OSError(
            errno.EPERM, f"it is reached by a link out of the project, to {target}; name that file to fix it"
        )
    handle, name = tempfile.mkstemp(prefix=".inplace-lint-", dir=os.path.dirname(target))
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(source)
            file.flush()
            os.fsync(file.fileno())
        found = os.stat(target)
        replaceable = found.st_nlink == 1 and _given(name, found)
        os.chmod(name, found.st_mode & 0o7777)
        with open(target, "rb") as file:
            if file.read() != before:
                raise Changed(errno.EBUSY, "it has been changed meanwhile, and is left as it is; run again")
        if replaceable:
            os.replace(name, target)
            return
        with open(target, "r+b") as file:  # if this is interrupted, the temporary file holds the whole text
            file.write(source)
            file.truncate()
            file.flush()
            os.fsync(file.fileno())
        os.unlink(name)
    except BaseException:
        if os.path.exists(name):
            os.unlink(name)
        raise


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
