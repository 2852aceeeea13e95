"""Finds inputs of a module by running a function or a test of its file that takes no arguments and calls it."""

from __future__ import annotations

import inspect
import sys
import warnings
from typing import Any

from torch import nn

from ..drivers import drivers
from ..guarded import Enough, adding_at_most, elsewhere, for_at_most, quiet
from .call import Call
from .parents import as_call
from .record import Recorder, Seen
from .trial import MEMORY, attempt

#: Seconds that each program may take to reach the target.
_SECONDS = 5.0


def through_programs(target: Any) -> Call | None:
    """Runs each such program up to the first call of the target; returns the first call that works, or None."""
    module = sys.modules.get(getattr(target, "__module__", ""))
    if module is None or not (inspect.isclass(target) and issubclass(target, nn.Module)):
        return None
    try:
        source, file = inspect.getsource(module), inspect.getfile(module)
    except (OSError, TypeError):
        return None
    for driver in drivers(source, target.__qualname__.split(".")):
        if not driver.names:
            continue  # the main block would run the whole file again, and define a second class
        try:
            function = driver.ready(module, file)
        except LookupError:
            continue
        seen = _first_use(target, function, file)
        if seen is not None and attempt(call := as_call(target, seen, "program"))[0] is None:
            return call
    return None


def _first_use(target: type, function: Any, file: str) -> Seen | None:
    met: list[Seen] = []

    def stop(seen: Seen) -> None:
        met.append(seen)
        raise Enough

    with warnings.catch_warnings(), Recorder(lambda module: type(module) is target, stop):
        warnings.simplefilter("ignore")
        try:
            with for_at_most(_SECONDS), adding_at_most(MEMORY), quiet():
                elsewhere(function, file)()
        except (Exception, SystemExit, Enough):  # user code
            pass
    return met[0] if met else None
