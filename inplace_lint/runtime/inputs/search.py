"""Searches inputs: by trial of the target, then from modules that use it, then from programs of its file."""

from __future__ import annotations

import inspect
import re
from dataclasses import replace
from typing import Any

from .call import Call, NoInputs
from .direct import by_trial
from .guess import parameters
from .parents import through_parents
from .programs import through_programs
from .sizes import with_sizes
from .stated import called
from .trial import Failure


def search(target: Any, noted: Call | NoInputs | None, trials: int) -> Call | NoInputs:
    """Returns a call on which the target runs, or why none was found. `noted` is the call that annotations describe."""
    if not callable(target):
        return NoInputs("it is neither a class nor a function")
    if noted is None and inspect.isfunction(target) and _needs_nothing(target):
        return Call(target, "synthesis")
    known = noted if isinstance(noted, Call) else None
    call, used, failure = by_trial(target, known, trials if not inspect.isclass(target) else trials * 3 // 4)
    if call is None and inspect.isclass(target):
        call = through_parents(target, trials - used)
        if call is None:
            call = through_programs(target)
    if call is None:
        return NoInputs(_reason(target, used, failure))
    return with_sizes(replace(call, source="annotations") if known and call.source == "synthesis" else call)


def _reason(target: Any, used: int, failure: Failure | None) -> str:
    """Says how far the trials came, and which parameters stand in the line that failed."""
    count = f"{used} trial{'s' if used != 1 else ''} found none"
    if failure is None:
        return count
    _, forward = called(target)
    names = [*parameters(forward), *(parameters(target) if inspect.isclass(target) else ())]
    unknown = [f"`{name}`" for name in names if re.search(rf"\b{name}\b", failure.text)]
    what = f", where {' or '.join(unknown[:3])} may have to be another value" if unknown else ""
    line = f" in `{failure.text[:80]}`" if failure.text else ""
    return f"{count}; the one that came furthest ended with {failure}{line}{what}"


def _needs_nothing(function: Any) -> bool:
    """Whether a function has no required parameters."""
    parameters = inspect.signature(function).parameters.values()
    return all(p.default is not p.empty or p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD) for p in parameters)
