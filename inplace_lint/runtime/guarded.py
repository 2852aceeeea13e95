"""Limits code that the user did not ask to run: its time, memory and output, and the directory it runs in."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import tempfile
from collections.abc import Callable, Iterator
from typing import Any

import torch


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


@contextlib.contextmanager
def adding_at_most(memory: float | None) -> Iterator[None]:
    """Lets an allocation in the body fail that would add more than these bytes to what the process holds now.

    So code that asks for too much ends in an error of its own, where the supervisor would end the whole job. Bytes are
    counted as they are asked for. On systems that do not tell what a process holds there is no limit here, nor where
    there is a GPU: what its driver reserves has not been measured under one.
    """
    held = None if torch.cuda.is_available() else _held()
    if memory is None or held is None:
        yield
        return
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
    known = [one for one in (soft, hard) if one != resource.RLIM_INFINITY]
    resource.setrlimit(resource.RLIMIT_DATA, (min([held + int(memory), *known]), hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, (soft, hard))


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Drops what the body prints: it runs many times, and a job that prints too much is ended."""
    _flush()
    kept = [os.dup(number) for number in (1, 2)]
    nothing = os.open(os.devnull, os.O_WRONLY)
    try:
        for number in (1, 2):
            os.dup2(nothing, number)
        yield
    finally:
        _flush()
        for number, before in zip((1, 2), kept):
            os.dup2(before, number)
            os.close(before)
        os.close(nothing)


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(Exception):  # user code may have closed or replaced it
            stream.flush()


def _held() -> int | None:
    """Returns the bytes of this process that RLIMIT_DATA counts; None without /proc."""
    with contextlib.suppress(OSError, ValueError, IndexError), open("/proc/self/status") as file:
        for line in file:
            if line.startswith("VmData:"):
                return int(line.split()[1]) * 1024
    return None


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
