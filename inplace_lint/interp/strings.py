"""Folds string methods, `%` and f-strings of known values, so that `name.lower() == "relu"` takes one branch."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from . import concrete
from .ordered import Undecided
from .values import Constant, Mapping_, Native, Scalar, Text, Value

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from .run import Run

#: String methods that give a string.
_MAKE_STRINGS = frozenset(
    "capitalize casefold lower lstrip removeprefix removesuffix replace rstrip strip title upper swapcase format "
    "join decode center ljust rjust zfill encode".split()
)
_PURE = _MAKE_STRINGS | frozenset(
    "count endswith find index isalnum isalpha isascii isdecimal isdigit isidentifier islower isnumeric isspace "
    "istitle isupper partition rfind rindex rpartition rsplit split splitlines startswith".split()
)
#: A field width or precision of so many digits would make a long string.
_WIDE = re.compile(r"\d{3}")
#: One that is itself an argument may: `"{:{}}".format(x, width)`, `"%*d" % (width, x)`.
_GIVEN = re.compile(r":[^{}]*\{|%[^a-zA-Z%]*\*")


#: Methods of compiled patterns and of matches.
_OF_PATTERNS = frozenset(
    "findall fullmatch group groupdict groups match search split start end span sub".split()
)


def method(text: str | bytes | re.Pattern[str] | re.Match[str], name: str) -> Value | None:
    """The method `text.name`, folded if its arguments are known; None if it is not modelled."""
    if name not in (_PURE if isinstance(text, (str, bytes)) else _OF_PATTERNS):
        return None
    if name == "format" and isinstance(text, str) and (_WIDE.search(text) or _GIVEN.search(text)):
        return None
    function = getattr(text, name, None)
    if function is None:
        return None
    unknown = Text if name in _MAKE_STRINGS else Scalar

    def play(run: Run, args: Sequence[Value], kwargs: Mapping[str, Value], at: ast.AST) -> Value:
        if any(
            isinstance(arg, Constant) and type(arg.value) is int and arg.value > concrete.LONGEST
            for arg in args
        ):
            return unknown()
        try:
            return concrete.value_of(run, concrete.call(run, function, args, kwargs, at))
        except Undecided:
            return unknown()

    return Native(play, follows=True)


def formatted(run: Run, template: str, given: Value, at: ast.AST) -> Value:
    """`template % given`."""
    if _WIDE.search(template) or _GIVEN.search(template):
        return Text()
    try:
        opened = isinstance(given, Mapping_)
        return concrete.value_of(run, concrete.call(run, template.__mod__, [given], {}, at, opened))
    except Undecided:
        return Text()


def put_together(node: ast.AST, parts: Sequence[Value]) -> Value:
    """An f-string, folded if all parts are known."""
    given = iter(parts)
    text = ""
    for piece in getattr(node, "values", ()):
        if isinstance(piece, ast.Constant):
            text += str(piece.value)
            continue
        part = next(given, None)
        shown = _shown(piece, part.value) if isinstance(part, Constant) else None
        if shown is None:
            return Text()
        text += shown
    return Text() if len(text) > concrete.LONGEST else Constant(text)


#: What a conversion such as `!r` does to a value.
_CONVERSIONS: dict[int, Callable[[object], object]] = {
    -1: lambda value: value,
    ord("s"): str,
    ord("r"): repr,
    ord("a"): ascii,
}


def _shown(piece: ast.AST, value: object) -> str | None:
    """A value as a replacement field shows it; None if that is not known."""
    if not isinstance(piece, ast.FormattedValue) or not isinstance(
        value, (str, int, float, bool, type(None))
    ):
        return None
    spec = ""
    for part in getattr(piece.format_spec, "values", ()):
        if not isinstance(part, ast.Constant):
            return None
        spec += str(part.value)
    if _WIDE.search(spec):
        return None
    try:
        return format(_CONVERSIONS[piece.conversion](value), spec)
    except (ValueError, TypeError):
        return None
