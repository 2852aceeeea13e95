"""Finds inputs for a class or a function: stated in a comment or a factory, recorded from a run, or found by trial."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..problems import InputError
from .call import Call, NoInputs
from .capture import from_capture
from .direct import completed
from .search import search
from .stated import from_annotations, from_comment, from_factory, given, shown
from .values import SIZES

#: How often a target is run, at most, to find its inputs.
TRIALS = 80

__all__ = ["SIZES", "TRIALS", "Call", "InputError", "NoInputs", "build", "given", "is_stated"]


def is_stated(target: Any, factories: Mapping[str, str], captured: Mapping[str, Any]) -> bool:
    """Whether somebody said how the target is called: a comment, a factory, a recorded run."""
    try:
        call = from_comment(target) or from_factory(target, factories)
    except InputError:
        return True
    return call is not None or shown(target) in captured


def build(
    target: Any,
    factories: Mapping[str, str] | None = None,
    captured: Mapping[str, Any] | None = None,
    trials: int = TRIALS,
) -> Call | NoInputs:
    """Arguments for `target`, a class or a function, or why there are none.

    Asked in this order: a comment at the target, the factory that `factories` names for it ("pkg.mod:Class":
    "tests.factories:make"), what `captured` recorded (see `capture.load`), jaxtyping annotations, and trial: the
    target is run on guessed inputs, at most `trials` times. Runs user code. What cannot be read is a reason too.
    """
    try:
        call = from_comment(target) or from_factory(target, factories or {})
    except InputError as error:
        return NoInputs(str(error))
    if call is not None:
        return call if call.factory is not None else completed(call, trials)
    if captured:
        call = from_capture(target, captured)
        if call is not None:
            return call
    return search(target, from_annotations(target), trials)
