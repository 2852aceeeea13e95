"""Models the functions of Python's module `operator`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..syntax.operators import FUNCTIONS, IN_PLACE
from . import comparisons, containers, inplace, operators, subscripts
from .values import Constant, Native, Unknown, Value

if TYPE_CHECKING:
    import ast
    from collections.abc import Callable, Mapping, Sequence

    from .run import Run

    Play = Callable[[Run, Sequence[Value], Mapping[str, Value], ast.AST], Value]


def _operator(sign: str) -> Play:
    """Models a function of the `operator` module: `operator.add` for the sign "+"."""

    def play(run: Run, args: Sequence[Value], kwargs: Mapping[str, Value], at: ast.AST) -> Value:
        return operators.binary(run, sign, args[0], args[1], at) if len(args) == 2 else Unknown()

    return play


def _augmented(sign: str) -> Play:
    """Models `operator.iadd` for the sign "+", and its kin."""

    def play(run: Run, args: Sequence[Value], kwargs: Mapping[str, Value], at: ast.AST) -> Value:
        return inplace.augmented(run, sign, args[0], args[1], at) if len(args) == 2 else Unknown()

    return play


def _set_item(run: Run, args: Sequence[Value], kwargs: Mapping[str, Value], at: ast.AST) -> Value:
    """operator.setitem(obj, index, value)"""
    if len(args) != 3:
        return Unknown()
    subscripts.set_item(run, args[0], args[1], args[2], at, augmented=False)
    return Constant(None)


def _getter(get: Callable[[Run, Value, Value, ast.AST], Value]) -> Play:
    """`operator.itemgetter(…)` or `attrgetter`: a function that gets one thing, or a tuple of several."""

    def play(run: Run, wanted: Sequence[Value], kwargs: Mapping[str, Value], at: ast.AST) -> Value:
        def getter(run: Run, args: Sequence[Value], kwargs: Mapping[str, Value], at: ast.AST) -> Value:
            found = [get(run, args[0] if args else Unknown(), one, at) for one in wanted]
            return found[0] if len(found) == 1 else containers.make(run, "tuple", found)

        return Native(getter, follows=True)

    return play


_COMPARISONS = {
    "eq": "==",
    "ne": "!=",
    "lt": "<",
    "le": "<=",
    "gt": ">",
    "ge": ">=",
    "is_": "is",
    "is_not": "is not",
}


def _comparison(sign: str) -> Play:
    """Models a comparison of the `operator` module."""

    def play(run: Run, args: Sequence[Value], kwargs: Mapping[str, Value], at: ast.AST) -> Value:
        return comparisons.compare(run, sign, args[0], args[1], at) if len(args) == 2 else Unknown()

    return play


def _method_caller(run: Run, args: Sequence[Value], kwargs: Mapping[str, Value], at: ast.AST) -> Value:
    """operator.methodcaller(name, …)"""

    def caller(run: Run, given: Sequence[Value], _: Mapping[str, Value], at: ast.AST) -> Value:
        if not args or not given or not isinstance(args[0], Constant):
            return Unknown()
        return run.call(run.attribute(given[0], str(args[0].value), at), args[1:], kwargs, at)

    return Native(caller, follows=True)


def _attribute(run: Run, obj: Value, name: Value, at: ast.AST) -> Value:
    for part in str(name.value).split(".") if isinstance(name, Constant) else ():
        obj = run.attribute(obj, part, at)
    return obj if isinstance(name, Constant) else Unknown()


INTRINSICS: dict[str, Play] = {
    **{f"operator.{name}": _comparison(sign) for name, sign in _COMPARISONS.items()},
    "operator.contains": lambda run, args, kwargs, at: comparisons.compare(run, "in", args[1], args[0], at),
    "operator.not_": lambda run, args, kwargs, at: operators.unary(run, "not", args[0], at),
    "operator.getitem": lambda run, args, kwargs, at: run.item(args[0], args[1], at),
    "operator.methodcaller": _method_caller,
    "operator.itemgetter": _getter(lambda run, obj, key, at: run.item(obj, key, at)),
    "operator.attrgetter": _getter(_attribute),
    "operator.setitem": _set_item,
    **{dotted: _operator(sign) for dotted, sign in FUNCTIONS.items()},
    **{dotted: _augmented(sign) for dotted, sign in IN_PLACE.items()},
}
