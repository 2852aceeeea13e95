"""Runs the user's program as `__main__`, inside of a context manager such as a trace."""

from __future__ import annotations

import os
import runpy
import sys
from contextlib import AbstractContextManager
from types import TracebackType


def run_program(
    target: str, is_module: bool, arguments: list[str], around: AbstractContextManager[object]
) -> int:
    """Runs a script, or a module by name, as `__main__` within `around`; returns its exit status.

    Exceptions are printed as Python does, without frames of this package. KeyboardInterrupt is passed on.
    """
    before = sys.argv, sys.path[0]
    sys.argv = [target, *arguments]
    sys.path[0] = os.getcwd() if is_module else os.path.dirname(os.path.realpath(target))
    try:
        with around:
            if is_module:
                runpy.run_module(target, run_name="__main__", alter_sys=True)
            else:
                runpy.run_path(target, run_name="__main__")
    except SystemExit as error:
        return _status(error)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        if is_module and isinstance(error, ImportError) and _users(error.__traceback__) is None:
            print(f"inplace-lint: {error}", file=sys.stderr)
            return 1
        error.__traceback__ = _users(error.__traceback__) or error.__traceback__
        sys.excepthook(type(error), error, error.__traceback__)
        return 1
    finally:
        sys.argv, sys.path[0] = before
    return 0


def _status(error: SystemExit) -> int:
    """The exit status that Python gives a SystemExit."""
    if error.code is None:
        return 0
    if isinstance(error.code, int):
        return error.code & 0xFF
    print(error.code, file=sys.stderr)
    return 1


def _users(trace: TracebackType | None) -> TracebackType | None:
    """Returns the traceback from the program's first frame on; None if it has none, as for a missing module."""
    start = trace
    while start is not None:
        filename = start.tb_frame.f_code.co_filename
        if filename != __file__ and not filename.startswith("<frozen") and "runpy" not in filename:
            return start
        start = start.tb_next
    return None
