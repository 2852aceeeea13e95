"""A progress bar on a terminal, for work that takes long enough to wonder."""

from __future__ import annotations

import time
from typing import TextIO

#: Seconds before the bar is drawn, and between two drawings of it.
PATIENCE = 0.7
INTERVAL = 0.1


class Progress:
    """Draws `[#####   ] 120/340 path` over itself and leaves nothing behind."""

    def __init__(self, total: int, stream: TextIO) -> None:
        self._total = total
        self._stream = stream
        self._next = time.monotonic() + PATIENCE
        self._drawn = False

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *_: object) -> None:
        if self._drawn:
            self._stream.write("\r\x1b[K")
            self._stream.flush()

    def show(self, done: int, filename: str) -> None:
        """`done` files are finished, `filename` the last."""
        now = time.monotonic()
        if now < self._next:
            return
        self._next = now + INTERVAL
        self._drawn = True
        self._stream.write("\r\x1b[K" + self._text(done, filename))
        self._stream.flush()

    def _text(self, done: int, filename: str) -> str:
        import shutil

        from ..report.style import safe

        width = shutil.get_terminal_size().columns - 1
        bar = "#" * (24 * done // max(self._total, 1))
        head = f"[{bar:24}] {done:>{len(str(self._total))}}/{self._total} "
        room = width - len(head)
        name = safe(filename)
        return (
            head + (name if len(name) <= room else "..." + name[-max(room - 3, 0) :] if room > 8 else "")
        )[:width]
