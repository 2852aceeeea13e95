"""Records which lines of a file ran."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from types import FrameType
from typing import Any

Rows = set[tuple[str, int]]


@contextlib.contextmanager
def rows_run(file: str) -> Iterator[Rows]:
    """Records the rows of a file that run in the body, each with the `__name__` of the module it ran for."""
    found: Rows = set()

    def line(frame: FrameType, event: str, _: Any) -> Any:
        found.add((frame.f_globals.get("__name__", ""), frame.f_lineno))
        return line

    def call(frame: FrameType, event: str, _: Any) -> Any:
        return line(frame, event, _) if frame.f_code.co_filename == file else None

    before = sys.gettrace()
    sys.settrace(call)
    try:
        yield found
    finally:
        sys.settrace(before)
