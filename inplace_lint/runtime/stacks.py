"""Captures the user's call stack of an operation cheaply, and turns it into source places only when they are shown."""

from __future__ import annotations

import linecache
import os
import sys
import sysconfig
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import CodeType, FrameType
from typing import Any

from ..model import Location
from ..project.paths import shown

#: Frames of user code, innermost first: the code object, and the offset of the running instruction.
Stack = tuple[tuple[CodeType, int], ...]

#: The most frames that are kept of a stack.
DEPTH = 48

_OWN = os.path.dirname(os.path.abspath(__file__)) + os.sep
_STDLIB = tuple(
    os.path.realpath(path) + os.sep
    for name in ("stdlib", "platstdlib")
    if (path := sysconfig.get_paths().get(name))
)
_INSTALLED = (f"{os.sep}site-packages{os.sep}", f"{os.sep}dist-packages{os.sep}")
_foreign: dict[str, bool] = {}
#: The stacks from which the running backwards were called, the latest last.
_backwards: list[Stack] = []


def capture(skip: int = 2) -> Stack:
    """Returns the stack from `skip` frames up, without frames of torch, of the standard library and of this package.

    In autograd's own threads, where backwards on CUDA run, there may be no user frame: then the stack that called the
    latest backward is returned.
    """
    found = []
    # An autograd thread may have fewer frames than `skip`, all of this package.
    frame: FrameType | None = sys._getframe()
    while frame is not None and skip:
        frame, skip = frame.f_back, skip - 1
    while frame is not None:
        code = frame.f_code
        foreign = _foreign.get(code.co_filename)
        if foreign is None:
            foreign = is_foreign(code.co_filename)
        if not foreign:
            found.append((code, frame.f_lasti))
            if len(found) == DEPTH:
                break
        frame = frame.f_back
    if not found and _backwards:
        return _backwards[-1]
    return tuple(found)


@contextmanager
def backward_under_way() -> Iterator[None]:
    """Registers the stack from which the backward in the body was called."""
    stack = capture(4)  # past `contextlib`, and whoever says `with`
    _backwards.append(stack)
    try:
        yield
    finally:
        _backwards.remove(stack)


def rows(stack: Stack) -> list[tuple[str, int]]:
    """Returns the absolute file name and the line of each frame, innermost first."""
    return [(absolute(code.co_filename), _position(code, lasti)[0]) for code, lasti in stack]


def spans(stack: Stack) -> list[tuple[str, int, int]]:
    """Returns file name, first and last line of each frame's running expression, innermost first."""
    return [(absolute(code.co_filename), *_position(code, lasti)[:2]) for code, lasti in stack]


def within(frames: Sequence[tuple[str, int, int]], places: Sequence[Sequence[Any]]) -> bool:
    """Whether a frame's expression overlaps one of these places, each a file with a first and a last row."""
    return any(
        file == name and first <= end and row <= last
        for file, row, end in frames
        for name, first, last in places
    )


def absolute(filename: str) -> str:
    """Returns the real path, to compare places by; names such as `<stdin>` are kept."""
    return filename if filename.startswith("<") else os.path.realpath(filename)


def location(stack: Stack) -> Location | None:
    """Returns the place of the innermost frame: the running expression (Python 3.11 and later), else the line."""
    if not stack:
        return None
    code, lasti = stack[0]
    row, end_row, start, end = _position(code, lasti)
    name = code.co_filename if code.co_filename.startswith("<") else shown(code.co_filename)
    first = linecache.getline(code.co_filename, row).rstrip("\r\n")
    last = linecache.getline(code.co_filename, end_row).rstrip("\r\n")
    if start is None or end is None:
        indent = len(first) - len(first.lstrip())
        return Location(name, row, indent + 1, row, max(len(first.rstrip()), indent + 1) + 1)
    # Python counts UTF-8 bytes, a Location counts characters.
    return Location(name, row, _column(first, start), end_row, max(_column(last, end), 2))


def _column(line: str, offset: int) -> int:
    return len(line.encode("utf-8", "surrogatepass")[:offset].decode("utf-8", "replace")) + 1


def _position(code: CodeType, lasti: int) -> tuple[int, int, int | None, int | None]:
    """Returns the first and last line, and the first and last column (in bytes, from 0), of an instruction."""
    if sys.version_info >= (3, 11):
        for index, (row, end_row, start, end) in enumerate(code.co_positions()):
            if index == lasti // 2:
                if row is None:
                    break
                return row, end_row or row, start, end
    row = code.co_firstlineno
    for begin, end, line in code.co_lines():
        if begin <= lasti < end and line is not None:
            row = line
    return row, row, None, None


def is_foreign(filename: str) -> bool:
    """Whether a file belongs to torch, the standard library or this package, and is never shown as a place."""
    if filename not in _foreign:
        _foreign[filename] = _decide(filename)
    return _foreign[filename]


def _decide(filename: str) -> bool:
    # `<eval_with_key>` is code that torch.compile made: the line that called it is the user's.
    if filename.startswith(("<frozen", "<eval_with_key>")):
        return True
    torch = sys.modules.get("torch")
    home = os.path.dirname(getattr(torch, "__file__", None) or "") + os.sep
    path = os.path.realpath(filename)
    if path.startswith((home, os.path.realpath(home) + os.sep, _OWN, os.path.realpath(_OWN) + os.sep)):
        return True
    return path.startswith(_STDLIB) and not any(part in path for part in _INSTALLED)
