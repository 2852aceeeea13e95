"""Searches inputs of one target by trial: guess, run, repair the guess by the error message, run again."""

from __future__ import annotations

import heapq
import inspect
import itertools
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from .call import Call, NoInputs
from .guess import Guess, layouts, parameters
from .objects import first_arguments, first_constructor
from .repair import repairs
from .stated import called
from .trial import Failure, attempt
from .values import Spec, flat

#: The queue cost of a guess in another tensor layout that no error message asked for; a first repair costs 1.
_FAR = 3


def completed(call: Call, trials: int) -> Call | NoInputs:
    """Adds the constructor arguments that a stated call leaves out, found by trial; what it states is kept."""
    given = call.constructor
    missing = [name for name in first_constructor(call.target) if name not in given]
    if call.positional or call.leading or not missing:
        return call
    found, used, failure = by_trial(call.target, call, trials, firm=True)
    if found is None:
        names = ", ".join(missing)
        return NoInputs(
            f"nothing says what the constructor's {names} are, and {used} trials ended with {failure}"
        )
    return replace(call, constructor=found.constructor, trials=used)


def by_trial(
    target: Any, noted: Call | None, trials: int, firm: bool = False
) -> tuple[Call | None, int, Failure | None]:
    """Searches guesses, cheapest first, for one that runs; returns the call, the trials used and the failure of
    the trial that came furthest.

    `noted` is a partial call to start from; with `firm` its arguments are never changed.
    """
    order = itertools.count()
    start = Guess(first_constructor(target), {} if noted is None else dict(noted.arguments))
    if noted is not None:
        start = start.building(**noted.constructor)
    queue: list[tuple[int, int, Guess]] = [(0, next(order), start)]
    seen = {start.key()}
    furthest: Failure | None = None
    used = 0
    begun = False

    def allowed(guesses: Iterable[Guess]) -> Iterator[Guess]:
        return (one for one in guesses if not firm or _keeps(one, start, noted))

    def put(cost: int, guess: Guess) -> None:
        key = guess.key()
        if key not in seen:
            seen.add(key)
            heapq.heappush(queue, (cost, next(order), guess))

    while queue and used < trials:
        cost, _, guess = heapq.heappop(queue)
        if not guess.arguments and not begun:
            # The forward's arguments are guessed from an instance's first layer, so construct one first.
            guess, failure, used = _begin(target, guess, used)
            if failure is None:
                begun = True
                for number, other in enumerate(allowed(_elsewhere(target, guess))):
                    put(_FAR + number // 2, other)
        call = _call(target, guess, used)
        used += 1
        failure, _ = attempt(call)
        if failure is None:
            return replace(call, trials=used), used, None
        if furthest is None or failure.reach > furthest.reach:
            furthest = failure
        if begun is False and failure.phase == "forward":
            begun = True
            for number, other in enumerate(allowed(_elsewhere(target, guess))):
                put(_FAR + number // 2, other)
        for number, other in enumerate(itertools.islice(allowed(repairs(target, guess, failure)), 12)):
            put(cost + 1 + number // 2, other)
    return None, used, furthest


def _keeps(guess: Guess, start: Guess, noted: Call | None) -> bool:
    """Whether a guess keeps the arguments of the noted call."""
    own = {} if noted is None else noted.constructor
    return guess.arguments == start.arguments and all(
        guess.constructor.get(name) == own[name] for name in own
    )


def _begin(target: Any, guess: Guess, used: int) -> tuple[Guess, Failure | None, int]:
    """Constructs the target and adds first arguments for its call; or returns why the constructor failed."""
    instance = None
    if inspect.isclass(target):
        try:
            instance = _call(target, guess, used).function()
        except Exception:  # user code; the next trial fails alike and is used for repairs
            return guess, Failure(ValueError(), "constructor"), used
    return replace(guess, arguments=first_arguments(target, instance)), None, used


def _elsewhere(target: Any, guess: Guess) -> list[Guess]:
    """Returns the guess with its float tensors in each of the other layouts."""
    given = flat(guess.arguments)
    names = [name for name, value in given.items() if isinstance(value, Spec) and value.floating]
    if not names:
        return []
    width = next((dim for name in names for dim in reversed(given[name].dims) if isinstance(dim, int)), 96)
    return [
        guess.giving(**{name: Spec("f32", dims) for name in names})
        for dims in layouts(width).values()
        if dims != given[names[0]].dims
    ]


def _call(target: Any, guess: Guess, used: int) -> Call:
    """Turns a guess into a call: constructor arguments by keyword unless positional-only, leading ones by position."""
    own = parameters(target) if inspect.isclass(target) else {}
    positional = tuple(
        value
        for name, value in guess.constructor.items()
        if name in own and own[name].kind is inspect.Parameter.POSITIONAL_ONLY
    )
    named = {
        name: value
        for name, value in guess.constructor.items()
        if name not in own or own[name].kind is not inspect.Parameter.POSITIONAL_ONLY
    }
    method, forward = called(target)
    taken = parameters(forward)
    leading, arguments, open_ = [], {}, True
    for name in taken:
        if name not in guess.arguments:
            open_ = False
        elif open_ and taken[name].kind is not inspect.Parameter.KEYWORD_ONLY:
            leading.append(guess.arguments[name])
        else:
            arguments[name] = guess.arguments[name]
    return Call(target, "synthesis", named, positional, arguments, tuple(leading), method=method, trials=used)
