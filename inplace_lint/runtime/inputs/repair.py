"""Derives better call arguments from the error message that the last guess raised: shapes, dtypes, missing ones."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import Any

from torch import nn

from .construct import constructor_repairs
from .guess import IMAGE, SIDE, WIDTH, Guess, argument, expected, layouts, parameters
from .stated import called
from .trial import Failure
from .values import SIZES, Dim, Spec, flat


def repairs(target: Any, guess: Guess, failure: Failure) -> Iterator[Guess]:
    """Yields changed guesses, the most likely first."""
    if failure.phase == "constructor":
        yield from constructor_repairs(target, guess, failure)
        return
    message = str(failure.error)
    yield from _missing(target, guess, failure, message)
    yield from _absent(target, guess, failure, message)
    yield from _kinds(guess, failure, message)
    yield from _layer(guess, failure)
    yield from _reshaped(guess, message)
    yield from _of_scores(guess, failure, message)
    for have, want in _pairs(message, failure):
        yield from _resized(guess, have, want)
    wanted = _rank(message, failure)
    if wanted is not None:
        yield from _ranked(guess, wanted, failure)
    yield from _pairs_as_sides(guess, message)
    yield from _refused_sizes(guess, failure)
    yield from constructor_repairs(target, guess, failure, others=False)


# --- the call


def _missing(target: Any, guess: Guess, failure: Failure, message: str) -> Iterator[Guess]:
    """Adds required arguments that the call misses."""
    found = re.search(r"missing \d+ required (?:positional|keyword-only) arguments?: (.*)", message)
    if not found:
        return
    _, forward = called(target)
    known = parameters(forward)
    names = [name for name in re.findall(r"'(\w+)'", found[1]) if name in known]
    if names:
        values = {name: argument(name, known[name], {}, failure.instance) for name in names}
        yield guess.giving(**values)


def _absent(target: Any, guess: Guess, failure: Failure, message: str) -> Iterator[Guess]:
    """Adds optional arguments whose default None made the target fail."""
    if "NoneType" not in message and not isinstance(failure.error, AssertionError):
        return
    _, forward = called(target)
    main = _main(guess)
    for name, parameter in parameters(forward).items():
        if name in guess.arguments or parameter.default is not None:
            continue
        mentioned = re.search(rf"\b{name}\b", failure.text) or failure.values.get(name, 0) is None
        if not mentioned:
            continue
        value = argument(name, parameter, {}, None)
        if isinstance(value, Spec) and value.floating and main is not None:
            value = main
        yield guess.giving(**{name: value})


def _kinds(guess: Guess, failure: Failure, message: str) -> Iterator[Guess]:
    """Changes dtypes and kinds: integers for floats, smaller indices, masks of another shape, tuples for tensors."""
    if re.search(
        r"scalar types?:? Long|Long, Int|expected .*Long|IntTensor|must be (an )?int|indices must be", message
    ):
        for name, spec in _tensors(guess):
            if spec.floating:
                yield guess.giving(**{name: Spec("i64", ("B", "S"), 2)})
    if "index out of range" in message or "out of bounds" in message:
        for name, spec in _tensors(guess):
            if not spec.floating and (spec.high or 0) > 1:
                yield guess.giving(**{name: Spec(spec.dtype, spec.dims, 1)})
    for name, spec in _tensors(guess):
        if spec.dtype == "bool" and re.search(r"mask|broadcast|size of tensor|shape|bool", message):
            for dims in (("B", 1, 1, "S"), ("S", "S"), ("B", "S", "S"), ("B", 4, "S", "S")):
                if dims != spec.dims:
                    yield guess.giving(**{name: Spec("bool", dims)})
    if "Boolean value of Tensor" in message:
        for name, _ in _tensors(guess):
            if re.search(rf"\b{name}\b", failure.text):
                yield guess.giving(**{name: False})
    named = re.search(
        r"'(tuple|list|int|float|Tensor|bool)' object (?:has no attribute|is not)|not (?:a )?tuple|must be Tensor, not",
        message,
    )
    if named:
        for name, value in guess.arguments.items():
            if not re.search(rf"\b{name}\b", failure.text):
                continue
            if isinstance(value, Spec):
                yield guess.giving(**{name: (SIDE, SIDE)})
                yield guess.giving(**{name: [value, value]})
            else:
                yield guess.giving(**{name: Spec("f32", layouts(WIDTH)["tokens"])})


def _of_scores(guess: Guess, failure: Failure, message: str) -> Iterator[Guess]:
    """Gives a float that does not fit where it is added the shapes of what is added to attention scores."""
    if not re.search(r"size of tensor|broadcast", message):
        return
    _first, *others = [name for name, spec in _tensors(guess) if spec.floating] or [""]
    for name in others:
        if re.search(rf"\b{name.rpartition('.')[2]}\b", failure.text):
            for dims in (("S", "S"), ("B", 1, "S", "S"), ("B", "S", "S"), (4, "S", "S")):
                yield guess.giving(**{name: Spec("f32", dims)})


def _layer(guess: Guess, failure: Failure) -> Iterator[Guess]:
    """Fits tensors to the torch layer that refused its input: its dtype and its feature or channel size."""
    wanted = None if failure.module is None else expected(failure.module)
    if wanted is None or not failure.given:
        return
    dtype, dims = wanted
    if dtype == "i64":
        high = getattr(failure.module, "num_embeddings", 2)
        for name, spec in _tensors(guess):
            yield guess.giving(
                **{name: Spec("i64", spec.dims if not spec.floating else ("B", "S"), int(high))}
            )
        return
    last = not isinstance(
        failure.module, (nn.modules.conv._ConvNd, nn.modules.batchnorm._BatchNorm, nn.GroupNorm)
    )
    place = -1 if last else 1
    want = dims[place]
    assert isinstance(want, int)
    # An argument passed to the layer unchanged gets the layer's size; otherwise the wrong size is sought by its value.
    for name, spec in _tensors(guess):
        if spec.floating and spec.shape(SIZES) == failure.given:
            yield guess.giving(**{name: Spec(spec.dtype, _fitted(spec.dims, dims, place, want))})
    if len(failure.given) > abs(place):
        yield from _resized(guess, failure.given[place], want)
    if not last and len(failure.given) == len(dims):
        # The channels may have been the last axis.
        for name, spec in _tensors(guess):
            if len(spec.dims) == 4 and spec.dims[-1] == want:
                yield guess.giving(**{name: Spec(spec.dtype, (spec.dims[0], want, *spec.dims[1:3]))})


def _fitted(own: tuple[Dim, ...], dims: tuple[Dim, ...], place: int, want: int) -> tuple[Dim, ...]:
    if place == -1:
        return (*own[:-1], want)
    return dims if len(own) != len(dims) else (own[0], want, *own[2:])


_NUMBER = r"(\d+)"
#: Messages that name the actual and the wanted size; the second item says which group is which, empty: skipped.
_PAIRS = (
    (r"\(\d+x(\d+) and (\d+)x\d+\)", "12"),
    (r"expected input\[.*\] to have (\d+) channels, but got (\d+) channels", "21"),
    (r"normalized_shape=\[(\d+)\].*got input of size\[(?:\d+, )*(\d+)\]", "21"),
    (r"size of tensor a \((\d+)\) must match the size of tensor b \((\d+)\)", "both"),
    (r"Expected size (\d+) but got size (\d+)", "both"),
    (r"expected to be in range.*got (\d+)", ""),
    (r"(\d+) != (\d+)", "both"),
    (r"got:? \[\d+, (\d+)\].*\[\d+, (\d+)\]|\[\d+, (\d+)\] but got: \[\d+, (\d+)\]", "both"),
    (r"expected (?:\w+ )*(?:dim(?:ension)?|size|channels?|features?)\D{0,12}(\d+)\D+?(\d+)", "21"),
    (r"running_mean should contain (\d+) elements not (\d+)", "12"),
    (r"expected (\d+) channels?.*got (\d+)|weight.*size (\d+).*got.* (\d+)", "21"),
    (r"was expecting embedding dimension of (\d+), but got (\d+)", "21"),
    (r"[Ii]nput.* \((\d+)\) (?:doesn't|does not) match model \((\d+)\)", "12"),
)


def _pairs(message: str, failure: Failure) -> Iterator[tuple[int, int]]:
    for pattern, order in _PAIRS:
        found = re.search(pattern, message)
        if not found or not order:
            continue
        first, second = (int(group) for group in found.groups() if group is not None)
        if order in ("12", "both"):
            yield first, second
        if order in ("21", "both"):
            yield second, first
    found = re.search(r"axis of length (\d+) in chunks of (\d+)", message)
    if found:
        length, part = int(found[1]), int(found[2])
        yield length, max(part, length // part * part)
        yield length, part * 2
    found = re.search(r"shape '\[([-\d, ]+)\]' is invalid for input of size (\d+)", message)
    if found and failure.given:
        for wanted in {abs(int(size)) for size in found[1].split(",")}:
            for size in failure.given[1:]:
                if wanted > 1 and size != wanted:
                    yield size, wanted


def _reshaped(guess: Guess, message: str) -> Iterator[Guess]:
    """For a failed reshape to known sizes, changes one axis of a tensor so that the element counts agree."""
    found = re.search(r"shape '\[(\d+(?:, \d+)*)\]' is invalid for input of size", message)
    if not found:
        return
    wanted = math.prod(int(size) for size in found[1].split(","))
    for name, spec in _tensors(guess):
        total = math.prod(spec.shape(SIZES))
        for place in sorted(range(1, len(spec.dims)), key=lambda place: spec.dims[place] != "S"):
            size = spec.shape(SIZES)[place]
            if wanted % (total // size) == 0 and wanted != total:
                dims = (*spec.dims[:place], wanted // (total // size), *spec.dims[place + 1 :])
                yield guess.giving(**{name: Spec(spec.dtype, dims, spec.high)})


def _resized(guess: Guess, have: int, want: int) -> Iterator[Guess]:
    """Replaces the size `have` by `want`: in all tensors, then in each alone; else in a multiple or divisor of it."""
    if have == want or want < 1:
        return
    every: dict[str, Any] = {}
    for name, spec in _tensors(guess):
        dims = tuple(_replaced(dim, have, want) for dim in spec.dims)
        if dims != spec.dims:
            every[name] = Spec(spec.dtype, dims, spec.high)
    if every:
        yield guess.giving(**every)
        if len(every) > 1:
            for name, value in every.items():
                yield guess.giving(**{name: value})
        yield from _widened(guess, want, have)
        return
    # The size may be a product such as H·W: change one of its factors.
    for name, spec in _tensors(guess):
        for place, dim in enumerate(spec.dims[1:], 1):
            size = spec.shape(SIZES)[place]
            if size > 1 and (have % size == 0 or size % have == 0) and size * want % have == 0:
                dims = (*spec.dims[:place], size * want // have, *spec.dims[place + 1 :])
                if dims[place] != dim:
                    yield guess.giving(**{name: Spec(spec.dtype, dims, spec.high)})
    yield from _widened(guess, want, have)


def _widened(guess: Guess, have: int, want: int) -> Iterator[Guess]:
    """Changes the constructor's integers that equal `have` to `want`, so that the module fits the tensors."""
    changed = {
        name: want for name, value in flat(guess.constructor).items() if type(value) is int and value == have
    }
    if changed:
        yield guess.building(**changed)
        if len(changed) > 1:
            for name in changed:
                yield guess.building(**{name: want})


def _replaced(dim: Dim, have: int, want: int) -> Dim:
    size = SIZES.get(dim) if isinstance(dim, str) else dim
    return want if size == have and dim != "B" else dim


def _rank(message: str, failure: Failure) -> int | None:
    """Reads the wanted number of axes from the message; None if it names none."""
    found = re.search(r"not enough values to unpack \(expected (\d+), got (\d+)\)", message)
    if found and failure.given:
        return len(failure.given) + int(found[1]) - int(found[2])
    found = re.search(
        r"expected (\d+)[- ]?[dD](?:im)?|[Ee]xpected (\d+)D? dims|(\d+)D \(batched\)|expected (\d+), got \d+\)",
        message,
    )
    if found:
        return int(next(group for group in found.groups() if group))
    found = re.search(r"too many values to unpack \(expected (\d+)", message)
    if found:
        return int(found[1])
    found = re.search(r"input\.dim\(\) = \d+ is not equal to len\(dims\) = (\d+)", message)
    if found:
        return int(found[1])
    found = re.search(
        r"Expected (\d+) dimensions|must be (\d+)[- ]?[dD]|but expected (\d+)|Wrong shape: expected (\d+)",
        message,
    )
    if found:
        return int(next(group for group in found.groups() if group))
    found = re.search(r"expected to be in range of \[-(\d+), \d+\], but got -?(\d+)", message)
    if found:
        return max(int(found[1]) + 1, int(found[2]))
    return None


def _ranked(guess: Guess, rank: int, failure: Failure) -> Iterator[Guess]:
    """Gives float tensors each usual layout with the wanted number of axes."""
    for name, spec in _tensors(guess):
        if not spec.floating or len(spec.dims) == rank:
            continue
        width = next((dim for dim in reversed(spec.dims) if isinstance(dim, int) and dim > SIDE), WIDTH)
        for dims in layouts(width).values():
            if len(dims) == rank:
                yield guess.giving(**{name: Spec(spec.dtype, dims)})
        if rank == 6:
            yield guess.giving(**{name: Spec(spec.dtype, ("B", 2, 2, 7, 7, width))})


def _pairs_as_sides(guess: Guess, message: str) -> Iterator[Guess]:
    """Tries other sides for feature maps, such as 14 or 224, that windows, patches and strides may divide."""
    if not re.search(
        r"divisib|window|multiple|invalid for input|chunks|size|larger|resolution|Kernel|match", message
    ):
        return
    for side in (14, 7, 16, IMAGE, 56, 64, 224):
        values: dict[str, Any] = {}
        for name, value in guess.arguments.items():
            if isinstance(value, Spec) and len(value.dims) >= 4:
                places = [place for place, dim in enumerate(value.dims) if place and dim in (SIDE, IMAGE)]
                if len(places) >= 2:
                    dims = tuple(side if place in places else dim for place, dim in enumerate(value.dims))
                    values[name] = Spec(value.dtype, dims)
            elif (
                isinstance(value, Spec)
                and "S" in value.dims
                and any(one in ((SIDE, SIDE), SIDE) for one in guess.arguments.values())
            ):
                dims = tuple(side * side if dim == "S" else dim for dim in value.dims)
                values[name] = Spec(value.dtype, dims)
            elif value == (SIDE, SIDE):
                values[name] = (side, side)
            elif value == SIDE:
                values[name] = side
        if values:
            yield guess.giving(**values)


def _refused_sizes(guess: Guess, failure: Failure) -> Iterator[Guess]:
    """For a size that a check of the target refuses, tries numbers of the failing line, and odd and even lengths."""
    if not re.match(r"raise\b|assert\b", failure.text):
        return
    numbers = [int(number) for number in re.findall(r"\b\d+\b", failure.text)]
    for size in (*(one for one in numbers if 1 < one <= 1024), 65, 63, 62):
        values: dict[str, Any] = {}
        for name, spec in _tensors(guess):
            sides = (SIDE, IMAGE) if len(spec.dims) > 3 else ()
            dims = tuple(
                size if dim == "S" or (dim in sides and size in numbers) else dim for dim in spec.dims
            )
            if dims != spec.dims:
                values[name] = Spec(spec.dtype, dims, spec.high)
        if values:
            yield guess.giving(**values)


def _tensors(guess: Guess) -> list[tuple[str, Spec]]:
    return [(name, value) for name, value in flat(guess.arguments).items() if isinstance(value, Spec)]


def _main(guess: Guess) -> Spec | None:
    return next((spec for _, spec in _tensors(guess) if spec.floating), None)
