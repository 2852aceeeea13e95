"""Folds string methods and f-strings of known strings, so that `name.lower() == "relu"` takes one branch."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from .values import Constant, Native, Scalar, Text, Value

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from .run import Run

_MAKE_STRINGS = frozenset(
    "capitalize casefold lower lstrip removeprefix removesuffix replace rstrip strip title upper".split()
)
_PURE = _MAKE_STRINGS | frozenset("count endswith find isdigit startswith".split())
#: Longest string, in characters, that is kept as a constant.
_LONGEST = 200


def method(text: str, name: str) -> Value | None:
    """The method `text.name`, folded if its arguments are constants; None if it is not modelled."""
    if name in ("format", "join"):
        return Native(lambda run, args, kwargs, at: Text())
    if name not in _PURE:
        return None

    unknown = Text if name in _MAKE_STRINGS else Scalar

    def play(run: Run, args: Sequence[Value], kwargs: Mapping[str, Value], at: ast.AST) -> Value:
        if kwargs or not all(isinstance(arg, Constant) for arg in args):
            return unknown()
        given = [arg.value for arg in args if isinstance(arg, Constant)]
        try:
            made = getattr(text, name)(*given)
        except (TypeError, ValueError, OverflowError, MemoryError):
            return unknown()
        return unknown() if isinstance(made, str) and len(made) > _LONGEST else Constant(made)

    return Native(play)


def put_together(node: ast.AST, parts: Sequence[Value]) -> Value:
    """An f-string, folded if all parts are known strings; a number is not folded: it may be one loop round of many."""
    given = iter(parts)
    text = ""
    for piece in getattr(node, "values", ()):
        if isinstance(piece, ast.Constant):
            text += str(piece.value)
            continue
        part = next(given, None)
        plain = isinstance(piece, ast.FormattedValue) and piece.conversion == -1 and piece.format_spec is None
        if not plain or not isinstance(part, Constant) or not isinstance(part.value, str):
            return Text()
        text += str(part.value)
        if len(text) > _LONGEST:
            return Text()
    return Constant(text)
