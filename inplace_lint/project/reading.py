"""Reads files that a repository names, but never a device or a pipe, which might not end."""

from __future__ import annotations

import errno
import os
import stat

#: Where a shell hands over what it has opened: `check <(git show HEAD:model.py)`.
_OPENED = ("/dev/fd", "/proc/self/fd")


def read(path: str, pipes: bool = False) -> bytes:
    """The bytes of a file; with `pipes`, also of a pipe that is open already.

    A pipe with a name in the file system is not opened: without a writer that would take for ever. Raises OSError, also
    for devices and for a file that does not fit into memory.
    """
    mode = os.stat(path).st_mode
    if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode) or (pipes and _is_opened(path, mode))):
        what = (
            "a pipe, which may never end: let `-` read it" if stat.S_ISFIFO(mode) else "a device, not a file"
        )
        raise OSError(errno.EINVAL, f"it is {what}", path)
    try:
        with open(path, "rb") as file:
            return file.read()
    except MemoryError:
        raise OSError(errno.EFBIG, "it is larger than the memory at hand", path) from None


def _is_opened(path: str, mode: int) -> bool:
    """Whether a path stands for a pipe or socket that this process was given."""
    is_pipe = stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)
    return is_pipe and (os.path.dirname(os.path.abspath(path)) in _OPENED or path == "/dev/stdin")
