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
    """Raised inside user code to end its run: the needed information is there, or its time is up."""


@contextlib.contextmanager
def for_at_most(seconds: float | None) -> Iterator[None]:
    """Raises `Enough` in the body after `seconds`, and every second from then on in case user code catches it."""
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
    """Wraps a function to run in the temporary directory, with `sys.argv` set to the file alone."""

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
