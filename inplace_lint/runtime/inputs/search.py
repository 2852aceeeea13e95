"""Finds inputs by trial: a first guess, run, repaired by what the error says, run again."""

from __future__ import annotations

import heapq
import inspect
import itertools
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from .call import Call, NoInputs
from .guess import Guess, first_arguments, first_constructor, layouts, parameters
from .repair import repairs
from .stated import called
from .trial import Failure, attempt
from .values import Size, Spec

#: How much a guess of another layout, tried without a message that asks for it, stands behind a repair.
_FAR = 3


def search(target: Any, noted: Call | NoInputs | None, trials: int) -> Call | NoInputs:
    """Inputs on which the target's forward runs. `noted` is what its annotations say."""
    if not callable(target):
        return NoInputs("it is neither a class nor a function")
    if noted is None and inspect.isfunction(target) and _needs_nothing(target):
        return Call(target, "synthesis")
    known = noted if isinstance(noted, Call) else None
    call, used, failure = _direct(target, known, trials if not inspect.isclass(target) else trials * 3 // 4)
    if call is None and inspect.isclass(target):
        from .parents import through_parents

        call = through_parents(target, trials - used)
        if call is None:
            from .programs import through_programs

            call = through_programs(target)
    if call is None:
        return NoInputs(f"{used} trials found none; the first ended with {failure}")
    return with_sizes(replace(call, source="annotations") if known and call.source == "synthesis" else call)


def _needs_nothing(function: Any) -> bool:
    """Whether a call without arguments is a call as its author meant it."""
    parameters = inspect.signature(function).parameters.values()
    return all(p.default is not p.empty or p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD) for p in parameters)


def completed(call: Call, trials: int) -> Call | NoInputs:
    """A call whose constructor lacks arguments that it requires, with some on which what it does say runs."""
    given = call.constructor
    missing = [name for name in first_constructor(call.target) if name not in given]
    if call.positional or call.leading or not missing:
        return call
    found, used, failure = _direct(call.target, call, trials, firm=True)
    if found is None:
        names = ", ".join(missing)
        return NoInputs(
            f"nothing says what the constructor's {names} are, and {used} trials ended with {failure}"
        )
    return replace(call, constructor=found.constructor, trials=used)


def _direct(
    target: Any, noted: Call | None, trials: int, firm: bool = False
) -> tuple[Call | None, int, Failure | None]:
    """The call that ran, the trials it took, and the first failure. If it is `firm`, what is noted is kept."""
    order = itertools.count()
    start = Guess(first_constructor(target), {} if noted is None else dict(noted.arguments))
    if noted is not None:
        start = start.building(**noted.constructor)
    queue: list[tuple[int, int, Guess]] = [(0, next(order), start)]
    seen = {start.key()}
    first: Failure | None = None
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
            # What the call takes is guessed once there is an instance to look at.
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
        first = first or failure
        if begun is False and failure.phase == "forward":
            begun = True
            for number, other in enumerate(allowed(_elsewhere(target, guess))):
                put(_FAR + number // 2, other)
        for number, other in enumerate(itertools.islice(allowed(repairs(target, guess, failure)), 12)):
            put(cost + 1 + number // 2, other)
    return None, used, first


def _keeps(guess: Guess, start: Guess, noted: Call | None) -> bool:
    """Whether a guess leaves what was noted as it is."""
    own = {} if noted is None else noted.constructor
    return guess.arguments == start.arguments and all(
        guess.constructor.get(name) == own[name] for name in own
    )


def _begin(target: Any, guess: Guess, used: int) -> tuple[Guess, Failure | None, int]:
    """The guess with arguments for the call, as far as the target can be constructed."""
    instance = None
    if inspect.isclass(target):
        try:
            instance = _call(target, guess, used).function()
        except Exception:  # user code; the trial that follows says the same, and is learned from
            return guess, Failure(ValueError(), "constructor"), used
    return replace(guess, arguments=first_arguments(target, instance)), None, used


def _elsewhere(target: Any, guess: Guess) -> list[Guess]:
    """The same guess with its tensors in every other layout."""
    names = [name for name, value in guess.arguments.items() if isinstance(value, Spec) and value.floating]
    if not names:
        return []
    width = next(
        (dim for name in names for dim in reversed(guess.arguments[name].dims) if isinstance(dim, int)), 96
    )
    return [
        guess.giving(**{name: Spec("f32", dims) for name in names})
        for dims in layouts(width).values()
        if dims != guess.arguments[names[0]].dims
    ]


def _call(target: Any, guess: Guess, used: int) -> Call:
    """The guess as a call: arguments by keyword, positional-only ones in order."""
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


def with_sizes(call: Call) -> Call:
    """The call with names for the sizes that can be varied, found by running it at others.

    A batch `B` and a length `S` are kept if twice of each runs. Where no `S` is left the equal sides of a map are
    tried, and constructor arguments that equal the length are made to follow it.
    """
    for name in ("B", "S"):
        if name in call.names and not _runs(call.at(**{name: 2 * call.sizes[name]})):
            following = _following(call) if name == "S" else None
            call = following if following is not None else _fixed(call, name)
    if "S" not in call.names:
        call = with_length(call)
    return call


def _runs(call: Call) -> bool:
    return attempt(call)[0] is None


def _following(call: Call) -> Call | None:
    """The constructor's number that is the length, such as a table of positions, follows it."""
    length = call.sizes["S"]
    for name, value in call.constructor.items():
        if value == length and not isinstance(value, bool):
            other = replace(call, constructor={**call.constructor, name: Size("S")})
            if _runs(other.at(S=2 * length)):
                return other
    return None


def _fixed(call: Call, name: str) -> Call:
    size = call.sizes[name]
    return _mapped(call, lambda dim: size if dim == name else dim)


def with_length(call: Call) -> Call:
    """Names the length in tensors of fixed sizes: two equal sides, else the axis before the last."""
    for pick in (_equal_sides, _before_last, _last_axis):
        chosen = pick(call)
        if chosen is None:
            continue
        other = _mapped(call, lambda dim, chosen=chosen: "S" if dim == chosen else dim).at(S=chosen)
        if "S" in other.names and _runs(other) and _runs(other.at(S=2 * chosen)):
            return other
    return call


def _equal_sides(call: Call) -> int | None:
    for spec in _specs(call):
        for first, second in zip(spec.dims[1:], spec.dims[2:]):
            if len(spec.dims) >= 4 and first == second and isinstance(first, int) and first > 1:
                return first
    return None


def _before_last(call: Call) -> int | None:
    for spec in _specs(call):
        if len(spec.dims) >= 3 and isinstance(spec.dims[-2], int) and spec.dims[-2] > 1:
            return spec.dims[-2]
    return None


def _last_axis(call: Call) -> int | None:
    for spec in _specs(call):
        if len(spec.dims) >= 2 and isinstance(spec.dims[-1], int) and spec.dims[-1] > 1:
            return spec.dims[-1]
    return None


def _specs(call: Call) -> list[Spec]:
    return [one for one in (*call.leading, *call.arguments.values()) if isinstance(one, Spec)]


def _mapped(call: Call, change: Any) -> Call:
    def one(value: Any) -> Any:
        if isinstance(value, Spec):
            return Spec(value.dtype, tuple(change(dim) for dim in value.dims), value.high)
        return value

    return replace(
        call,
        leading=tuple(map(one, call.leading)),
        arguments={name: one(value) for name, value in call.arguments.items()},
    )
