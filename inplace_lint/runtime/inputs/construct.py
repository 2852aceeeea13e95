"""Derives better constructor arguments from the error that the last guess raised."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator, Mapping
from typing import Any

from torch import nn

from .guess import SIDE, WIDTH, Guess, constructor_value, parameters
from .objects import inside, optional, wanting
from .trial import Failure
from .values import flat


def hands_on(target: Any) -> bool:
    """Whether a constructor has `**kwargs`, and so may pass keywords on to its base."""
    try:
        kinds = {one.kind for one in inspect.signature(target).parameters.values()}
    except (TypeError, ValueError):  # a built-in class need not have one
        return False
    return inspect.Parameter.VAR_KEYWORD in kinds


_COUNTS = (1, 2, 4, 8, 3, 16, 32, 64, WIDTH, 128, 7)


def constructor_repairs(target: Any, guess: Guess, failure: Failure, others: bool = True) -> Iterator[Guess]:
    """Yields guesses with other values for the constructor parameters named in the failing line or the message.

    With `others`, missing arguments are added too, and all parameters are tried if none is named.
    """
    message = str(failure.error)
    for name, value in wanting(guess.constructor, failure):
        yield guess.building(**{name: value})
    known = {**_constructor_parameters(target), **inside(guess.constructor)}
    given = flat(guess.constructor)
    missing = re.search(r"missing \d+ required (?:positional|keyword-only) arguments?: (.*)", message)
    if missing and others:
        # A missing name that the target does not declare may reach the base class through `**kwargs`.
        free = inspect.Parameter("kwargs", inspect.Parameter.KEYWORD_ONLY)
        names = [name for name in re.findall(r"'(\w+)'", missing[1]) if name in known or hands_on(target)]
        if names:
            yield guess.building(**{name: constructor_value(name, known.get(name, free)) for name in names})
    for have, want in _divisors(failure, given):
        for name, parameter in known.items():
            if _same(given.get(name, parameter.default), have):
                yield guess.building(**{name: want})
    said = f"{failure.text} {message}"
    spoken = [name for name in known if re.search(rf"\b{name.rpartition('.')[2]}\b", said)]
    if not spoken and others:
        spoken = list(given)
    for name in spoken:
        value = given.get(name, known[name].default if name in known else None)
        if value is None and name in known:
            yield guess.building(**{name: optional(target, name, known[name])})
        for other in _others(name, value, message, failure):
            if not _same(other, value):
                yield guess.building(**{name: other})


def _constructor_parameters(target: Any) -> dict[str, inspect.Parameter]:
    """Returns a constructor's parameters, with those of its bases as far as `**kwargs` leads."""
    found: dict[str, inspect.Parameter] = {}
    for one in target.__mro__ if isinstance(target, type) else ():
        found = {**parameters(one), **found}
        if not hands_on(one):
            break
    return found


def _divisors(failure: Failure, given: Mapping[str, Any]) -> Iterator[tuple[int, int]]:
    """For a failing line such as `assert a % b == 0`, yields the value of `a` and the next multiple of `b`."""
    known = {**{name.rpartition(".")[2]: value for name, value in given.items()}, **failure.values}
    for first, second in re.findall(r"(\w+)\s*\)?\s*%\s*\(?(?:\w+\.)*(\w+)", failure.text):
        have, part = known.get(first), known.get(second)
        if isinstance(have, int) and isinstance(part, int) and part > 0 and have % part:
            yield have, -(-have // part) * part


def _others(name: str, value: Any, message: str, failure: Failure) -> Iterator[Any]:
    if value is None:
        yield from (WIDTH, 4, nn.LayerNorm, nn.Identity(), (SIDE, SIDE))
        return
    if isinstance(value, bool):
        yield not value
        return
    wants_call = "not callable" in message or "__name__" in message
    wants_many = re.search(
        r"not (iterable|subscriptable)|unpack non-iterable|has no len|must be (a )?(tuple|list|str)", message
    )
    if isinstance(value, int):
        if wants_many:
            yield from ((value, value), (value, value, value), [value] * 4)
        elif wants_call:
            yield from (nn.Identity, nn.LayerNorm, nn.GELU, nn.Identity())
        elif "has no attribute" in message:
            yield from (nn.Identity(), nn.Identity, nn.Linear(WIDTH, WIDTH), (SIDE, SIDE))
        else:
            words = re.findall(
                rf"{name}\s*(?:==|in|!=)\s*[\[(]?\s*['\"](\w+)['\"]", "\n".join([failure.text])
            )
            yield from words
            yield from (count for count in _COUNTS if count != value)
    elif isinstance(value, float):
        yield from (1.0, 0.5, 4, 1)
    elif isinstance(value, (tuple, list)):
        if value and "index out of range" in message:
            yield type(value)([value[0]] * (len(value) + 1))
        if all(isinstance(one, int) for one in value) and value:
            yield value[0]
            yield [*value]
            yield from (tuple([one] * len(value)) for one in (SIDE, 14, 4, WIDTH, 1))
    else:
        yield from (
            nn.Identity,
            nn.LayerNorm,
            nn.BatchNorm2d,
            nn.GELU,
            nn.Identity(),
            nn.Linear(WIDTH, WIDTH),
            WIDTH,
            4,
        )


def _same(one: Any, other: Any) -> bool:
    return type(one) is type(other) and (one is other or one == other)
