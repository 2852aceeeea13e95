"""Varies a call that runs, so that lines behind a test of an option, a length or a batch run too."""

from __future__ import annotations

import ast
import enum
import inspect
import itertools
import textwrap
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from torch import nn

from .call import Call
from .guess import argument, parameters
from .objects import integers
from .sizes import with_length
from .values import SIZES, flat, put, written

#: The most variations of a call, and the largest size that is tried because the code compares with it.
MOST, _LARGEST = 32, 4096


def variations(call: Call) -> Iterator[Call]:
    """Yields calls with one option, size or omitted argument changed, or in the other mode, at most MOST."""
    if call.factory is not None or call.source == "file":
        return
    yield from itertools.islice(_all(call), MOST)


def told(call: Call, other: Call) -> dict[str, str]:
    """Returns the inputs of a variation as text, with what it changes of the constructor and of the mode."""
    before, after = flat(call.constructor), flat(other.constructor)
    changed = {name: written(value) for name, value in after.items() if before.get(name, call) != value}
    mode = {} if call.training == other.training else {"training": str(other.training)}
    return {**changed, **mode, **other.description}


def _all(call: Call) -> Iterator[Call]:
    if inspect.isclass(call.target) and issubclass(call.target, nn.Module):
        yield replace(call, training=not call.training)
    numbers, words = _compared(call.target)
    own = parameters(call.target) if inspect.isclass(call.target) else {}
    given = {**{name: one.default for name, one in own.items()}, **flat(call.constructor)}
    for name, value in given.items():
        for other in _others(value, words):
            yield replace(call, constructor=put(call.constructor, name, other))
    taken = parameters(call.signed())
    names = list(taken)[: len(call.leading)]
    for name, one in taken.items():
        if name in names or one.kind is one.POSITIONAL_ONLY:
            continue
        value = call.arguments.get(name, one.default)
        others = list(_others(value, words))
        if value is None:
            others = [argument(name, one, {}, None)]
        elif type(value) is int:
            others = [count for number in numbers for count in (number, number + 1) if count != value]
        for other in others:
            yield replace(call, arguments={**call.arguments, name: other})
    yield from _of_sizes(call, numbers)


def _of_sizes(call: Call, numbers: list[int]) -> Iterator[Call]:
    """Yields the call with a batch of 1, odd lengths, and lengths about the numbers that the code compares with."""
    if "B" in call.names:
        yield call.at(B=1)
    named = call if "S" in call.names else with_length(call)
    if "S" not in named.names:
        return
    now = named.sizes.get("S", SIZES["S"])
    bounds = [*numbers, *integers(call.target, call.constructor).values()]
    about = [number + more for number in dict.fromkeys(bounds) for more in (1, 0, -1)]
    for length in dict.fromkeys([now - 1, now - 2, now + 1, *about]):
        if 0 < length <= _LARGEST and length != now:
            yield named.at(S=length)


def _others(value: Any, words: list[str]) -> Iterator[Any]:
    if isinstance(value, enum.Enum):
        yield from (one for one in type(value) if one is not value)
    elif isinstance(value, bool):
        yield not value
    elif isinstance(value, str):
        yield from (word for word in words if word != value)


def _compared(target: Any) -> tuple[list[int], list[str]]:
    """Returns the integers and the strings that a class or function compares with."""
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(target)))
    except (OSError, TypeError, SyntaxError):
        return [], []
    found: list[Any] = []
    for node in ast.walk(tree):
        match node:
            case ast.Compare() | ast.MatchValue():
                found += [one.value for one in ast.walk(node) if isinstance(one, ast.Constant)]
    numbers = [one for one in dict.fromkeys(found) if type(one) is int and one > 0]
    return numbers, [one for one in dict.fromkeys(found) if isinstance(one, str)]
