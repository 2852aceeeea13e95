"""Binds the arguments of a call to the parameters of a function."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    import ast
    from collections.abc import Mapping, Sequence

    from ..syntax.module import FunctionSource

Value = TypeVar("Value")


@dataclass(slots=True)
class Binding(Generic[Value]):
    """The arguments of one call, bound to parameters.

    `named` maps parameters to arguments; `spare` are those for `*args`, `options` those for `**kwargs`, `missing` the
    parameters without an argument. `fits` is False where Python would raise a TypeError: an argument has no parameter,
    or a parameter gets two.
    """

    named: dict[str, Value]
    spare: Sequence[Value] = ()
    options: dict[str, Value] = field(default_factory=dict)
    missing: list[ast.arg] = field(default_factory=list)
    fits: bool = True


def bind(source: FunctionSource, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Binding[Value]:
    """Binds the arguments of a call to the parameters of a function, its receiver included."""
    arguments, positional = source.node.args, source.parameters
    bound = Binding(dict(zip([parameter.arg for parameter in positional], args)), args[len(positional) :])
    if kwargs:
        by_name = {parameter.arg for parameter in (*arguments.args, *arguments.kwonlyargs)}
        for name, value in kwargs.items():
            if name not in by_name:
                bound.options[name] = value
                continue
            bound.fits = bound.fits and name not in bound.named
            bound.named[name] = value
    if (bound.spare and arguments.vararg is None) or (bound.options and arguments.kwarg is None):
        bound.fits = False
    bound.missing = [one for one in (*positional, *arguments.kwonlyargs) if one.arg not in bound.named]
    return bound


def completed(
    parameters: Sequence[str], args: Sequence[Value], kwargs: Mapping[str, Value]
) -> tuple[Sequence[Value], Mapping[str, Value]]:
    """The arguments of a call of a function with these parameters, each by position and by name.

    So whoever reads an argument finds it under either, however the call passes it. A keyword gets a position as long as
    all parameters before it are given.
    """
    positional = list(args)
    for name in parameters[len(args) :]:
        if name not in kwargs:
            break
        positional.append(kwargs[name])
    return positional, {**dict(zip(parameters, args)), **kwargs}
