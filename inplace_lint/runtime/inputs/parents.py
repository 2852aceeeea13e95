"""Finds inputs of a module by running another module of the same file that uses it, and recording what it is given."""

from __future__ import annotations

import inspect
import re
import sys
from typing import Any

import torch
from torch import nn

from .call import Call
from .direct import by_trial
from .record import Recorder, Seen
from .trial import attempt


class _Met(BaseException):
    """Raised when the target is called, to end the parent's run there."""


def through_parents(target: Any, trials: int) -> Call | None:
    """Returns a call of the target as a class of its module makes it; None if no such class can be run that far."""
    for parent in _parents(target):
        if trials < 1:
            return None
        seen, used = _watch(target, parent, min(trials, 12))
        trials -= used
        for one in seen:
            call = as_call(target, one)
            trials -= 1
            if attempt(call)[0] is None:
                return call
    return None


def as_call(target: Any, seen: Seen, source: str = "parent") -> Call:
    """Turns a recorded use into a call, with new tensors of the recorded sizes."""
    return Call(
        target,
        source,
        seen.constructor,
        seen.positional,
        seen.arguments,
        seen.leading,
        training=seen.training,
    )


def _watch(target: Any, parent: Any, trials: int) -> tuple[list[Seen], int]:
    met: list[Seen] = []

    def stop(seen: Seen) -> None:
        met.append(seen)
        raise _Met

    with Recorder(lambda module: type(module) is target, stop):
        try:
            with torch.no_grad():
                _, used, _ = by_trial(parent, None, trials)
        except _Met:
            used = 1
    return met, used


def _parents(target: Any) -> list[Any]:
    """Returns the module's classes that name the target, directly or indirectly: fewest required arguments first."""
    module = sys.modules.get(target.__module__)
    own = [
        one
        for one in vars(module).values()
        if inspect.isclass(one) and issubclass(one, nn.Module) and one.__module__ == target.__module__
    ]
    found: list[Any] = []
    level = [target]
    for _ in range(4):
        above = [
            one
            for one in own
            if one not in found and one is not target and any(_names(one, below) for below in level)
        ]
        found += above
        level = above
    return sorted(found, key=_required)


def _names(parent: Any, below: Any) -> bool:
    try:
        return re.search(rf"\b{below.__name__}\b", inspect.getsource(parent)) is not None
    except (OSError, TypeError):
        return False


def _required(one: Any) -> int:
    from .guess import EMPTY, parameters

    return sum(parameter.default is EMPTY for parameter in parameters(one).values())
