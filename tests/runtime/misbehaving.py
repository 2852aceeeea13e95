"""What user code does wrong, as jobs of a child process."""

from __future__ import annotations

import ctypes
import importlib
import os
import signal
import sys
import time
from collections.abc import Callable
from typing import Any

Stage = Callable[[str], None]


def fine(arguments: dict[str, Any], stage: Stage) -> Any:
    stage("run")
    print("a word")
    return {"got": arguments, "secret": os.environ.get("A_SECRET"), "home": "PATH" in os.environ}


def hang(arguments: dict[str, Any], stage: Stage) -> None:
    stage("run")
    time.sleep(1000)


def ignore_sigterm(arguments: dict[str, Any], stage: Stage) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    while True:
        time.sleep(1)


def segfault(arguments: dict[str, Any], stage: Stage) -> None:
    stage("run")
    ctypes.string_at(0)


def abort(arguments: dict[str, Any], stage: Stage) -> None:
    os.abort()


def leave(arguments: dict[str, Any], stage: Stage) -> None:
    stage("run")
    os._exit(0)


def allocate_a_terabyte(arguments: dict[str, Any], stage: Stage) -> None:
    bytearray(1 << 40)


def grow(arguments: dict[str, Any], stage: Stage) -> None:
    kept = []
    while True:
        kept.append(b"x" * (1 << 22))
        time.sleep(0.002)


def print_for_ever(arguments: dict[str, Any], stage: Stage) -> None:
    while True:
        os.write(1, b"again and again\n" * 100)


def fork_and_leave(arguments: dict[str, Any], stage: Stage) -> int:
    pid = os.fork()
    if pid == 0:
        os.setsid()
        if os.fork() == 0:
            with open(arguments["file"], "w") as file:
                file.write(str(os.getpid()))
            time.sleep(1000)
        os._exit(0)
    while not os.path.exists(arguments["file"]) or not os.path.getsize(arguments["file"]):
        time.sleep(0.01)
    return 1


def write_ten_gigabytes(arguments: dict[str, Any], stage: Stage) -> None:
    with open(os.path.join(os.environ["TMPDIR"], "big"), "wb") as file:
        for _ in range(10 * 1024):
            file.write(b"\0" * (1 << 20))


def import_it(arguments: dict[str, Any], stage: Stage) -> str:
    stage("import")
    sys.path.insert(0, arguments["path"])
    return importlib.import_module(arguments["module"]).__name__


def wait_for_another(arguments: dict[str, Any], stage: Stage) -> bool:
    """Whether a second child begins while this one runs."""
    for _ in range(1000):
        with open(arguments["log"]) as log:
            if log.read().count("begins") > 1:
                return True
        time.sleep(0.01)
    return False
