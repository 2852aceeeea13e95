"""Writes a changed file in one stroke, and shows a change as a diff."""

from __future__ import annotations

import difflib
import os
import tempfile


def write(filename: str, source: bytes) -> None:
    """Replace the file's content: through a temporary file beside it, so that no half of it is ever seen.

    Mode bits are kept, a link is followed. Raises OSError; the file is then as it was.
    """
    target = os.path.realpath(filename)
    handle, name = tempfile.mkstemp(prefix=".inplace-lint-", dir=os.path.dirname(target))
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(source)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(name, os.stat(target).st_mode & 0o7777)
        os.replace(name, target)
    except BaseException:
        os.unlink(name)
        raise


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
