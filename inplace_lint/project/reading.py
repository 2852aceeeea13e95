"""Reads files that a repository names, but never a device, which might not end."""

from __future__ import annotations

import errno
import os
import stat


def read(path: str, pipes: bool = False) -> bytes:
    """The bytes of a file; with `pipes`, also of a named pipe (`check <(git show HEAD:model.py)`).

    Raises OSError, also for devices and for a file that does not fit into memory.
    """
    mode = os.stat(path).st_mode
    if not (
        stat.S_ISREG(mode) or stat.S_ISDIR(mode) or (pipes and (stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)))
    ):
        raise OSError(errno.EINVAL, "it is a device or a pipe, not a file", path)
    try:
        with open(path, "rb") as file:
            return file.read()
    except MemoryError:
        raise OSError(errno.EFBIG, "it is larger than the memory at hand", path) from None
