"""Replaces a changed file atomically, and shows a change as a unified diff."""

from __future__ import annotations

import difflib
import errno
import os
import tempfile


class Changed(OSError):
    """Somebody else has written the file since it was read."""


def write(filename: str, before: bytes, source: bytes, root: str) -> None:
    """Replace the file's content: through a temporary file beside it, so that no half of it is ever seen.

    Owner and mode are kept; a file of several names, or that cannot be given to its owner, is written where it is. A
    link is followed within the project's `root`. Raises OSError; the file is then as it was.
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
        with open(target, "r+b") as file:  # should this be cut short, the temporary file holds it all
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
    """Whether a file belongs, now, to the owner and group of another."""
    own = os.stat(name)
    if (own.st_uid, own.st_gid) == (found.st_uid, found.st_gid):
        return True
    try:
        os.chown(name, found.st_uid, found.st_gid)
    except OSError:
        return False
    return True


def _leads_out(filename: str, target: str, root: str) -> bool:
    """Whether a file that is named within the project lies elsewhere."""
    own, inside = os.path.abspath(filename), os.path.abspath(root)
    return _lies_in(own, inside) and not _lies_in(target, os.path.realpath(root))


def _lies_in(path: str, folder: str) -> bool:
    return path.startswith(os.path.join(folder, ""))


def diff(filename: str, before: bytes, after: bytes) -> str:
    """The change as a unified diff, empty where there is none. Line ends stand in it as they are in the file."""
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
    """A name as git writes it: one that would break the line, or do worse, in quotes and octal numbers."""
    if filename.isprintable():
        return filename
    shown = "".join(
        chr(octet) if 32 <= octet < 127 and octet not in b'"\\' else "\\" + format(octet, "03o")
        for octet in os.fsencode(filename)
    )
    return f'"{shown}"'
