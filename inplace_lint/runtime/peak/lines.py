"""Assigns each operation to a line of the user's program; one of backward to the forward line that made its node."""

from __future__ import annotations

import bisect
import os
import sys
from types import CodeType, FrameType

import torch

#: A file name and a row.
Line = tuple[str, int]

_TORCH = os.path.dirname(torch.__file__) + os.sep
_OWN = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
_ENGINE = "_engine_run_backward"


class Lines:
    """Finds the innermost line of a file under `roots` (empty: of any file outside torch and this package).

    An operation of backward belongs to the forward line that made its graph node: nodes have sequence numbers, and
    the numbers that appear while a line runs belong to that line.
    """

    def __init__(self, roots: tuple[str, ...] = ()) -> None:
        self._roots = tuple(os.path.realpath(root) for root in roots)
        self._wanted: dict[CodeType, str | None] = {}
        self._firsts: list[int] = []
        self._owners: list[Line | None] = []

    def here(self) -> Line | None:
        """Returns the line that the running operation belongs to."""
        node = torch._C._current_autograd_node()
        line = self._innermost(below_engine=node is not None)
        if node is None:
            self._own_nodes(line)
            return line
        return line or self._owner(node._sequence_nr())

    def _innermost(self, below_engine: bool) -> Line | None:
        frame: FrameType | None = sys._getframe(2)
        while frame is not None:
            code = frame.f_code
            if below_engine and code.co_name == _ENGINE:
                return None
            if code not in self._wanted:
                self._wanted[code] = self._file(code)
            filename = self._wanted[code]
            if filename is not None:
                return filename, frame.f_lineno
            frame = frame.f_back
        return None

    def _file(self, code: CodeType) -> str | None:
        filename = code.co_filename
        if filename.startswith((_TORCH, _OWN, "<")):
            return None
        path = os.path.realpath(filename)
        inside = not self._roots or any(
            path == root or path.startswith(root + os.sep) for root in self._roots
        )
        return path if inside else None

    def _own_nodes(self, line: Line | None) -> None:
        """Assigns the sequence numbers given since the last operation to this line."""
        following = torch.autograd._get_sequence_nr()  # type: ignore[attr-defined]  # private to torch
        first = self._firsts[-1] if self._firsts else -1
        if following > first:
            self._firsts.append(following)
            self._owners.append(line)

    def _owner(self, number: int) -> Line | None:
        place = bisect.bisect_right(self._firsts, number)
        return self._owners[place] if place < len(self._owners) else None
