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

#: The most runs of a target in a search for its inputs.
TRIALS = 80

__all__ = ["SIZES", "TRIALS", "Call", "InputError", "NoInputs", "build", "given", "is_stated"]


def is_stated(target: Any, factories: Mapping[str, str], captured: Mapping[str, Any]) -> bool:
    """Whether the target's inputs are stated: by a comment, a factory or a recorded run."""
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
    """Returns a call of `target`, a class or a function, or the reason why there is none. Runs user code.

    Sources in order: a comment at the target; the factory that `factories` maps it to ("pkg.mod:Class":
    "tests.factories:make"); the uses in `captured` (see `uses.read`); jaxtyping annotations; trial on guessed inputs,
    at most `trials` runs. A comment or factory that cannot be used is a reason, and no other source is tried.
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
