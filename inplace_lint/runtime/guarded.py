"""Limits a program that the user did not ask to run: by a time limit, and in the temporary directory."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import tempfile
from collections.abc import Callable, Iterator
from typing import Any


class Enough(BaseException):
    """Ends a run of user code that has shown what it can, or whose time is up."""


@contextlib.contextmanager
def for_at_most(seconds: float | None) -> Iterator[None]:
    """Within it user code is ended by `Enough` when its time is up, and again for as long as it catches that."""
    if seconds is None or not hasattr(signal, "setitimer"):
        yield
        return

    def end(*_: Any) -> None:
        raise Enough("its time was up")

    before = signal.signal(signal.SIGALRM, end)
    try:
        signal.setitimer(signal.ITIMER_REAL, seconds, 1.0)
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)


def elsewhere(function: Callable[[], Any], file: str) -> Callable[[], Any]:
    """The function, run in the temporary directory and as a program of the file that was given no arguments."""

    def run() -> Any:
        before, argv = os.getcwd(), sys.argv
        os.chdir(tempfile.gettempdir())
        sys.argv = [file]
        try:
            return function()
        finally:
            os.chdir(before)
            sys.argv = argv

    return run
