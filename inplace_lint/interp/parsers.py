"""Models `argparse`: an option has a default name, by which code picks a network, an activation or a loss.

The user of the program may give another, so nothing is taken to be off: only what the default leads to is followed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import containers
from .values import Constant, Native, Option, Unknown

if TYPE_CHECKING:
    import ast
    from collections.abc import Mapping, Sequence

    from .run import Run
    from .values import Value


class Parser(Unknown):
    """A parser of options, or a group of one."""

    __slots__ = ()


def parser(run: Run, args: Sequence[Value], kwargs: Mapping[str, Value], at: ast.AST) -> Value:
    """`argparse.ArgumentParser(…)`."""
    return _adding_to(run, {})


def _adding_to(run: Run, options: dict[str, Option]) -> Parser:
    """A parser that adds to these options."""

    def add(run: Run, args: Sequence[Value], kwargs: Mapping[str, Value], at: ast.AST) -> Value:
        default = kwargs.get("default")
        if isinstance(default, Constant) and isinstance(default.value, str):
            option = options[_attribute(args, kwargs)] = Option()
            option.default = default.value
        return _no_tensor()

    def parse(run: Run, args: Sequence[Value], kwargs: Mapping[str, Value], at: ast.AST) -> Value:
        found = _no_tensor()
        for name, option in options.items():
            run.set_member(found, name, option)
        return found

    def parse_known(run: Run, args: Sequence[Value], kwargs: Mapping[str, Value], at: ast.AST) -> Value:
        return containers.make(run, "tuple", [parse(run, args, kwargs, at), _no_tensor()])

    def group(run: Run, args: Sequence[Value], kwargs: Mapping[str, Value], at: ast.AST) -> Value:
        return _adding_to(run, options)

    made = Parser()
    made.returned = made.alone = True
    run.set_member(made, "add_argument", Native(add))
    run.set_member(made, "parse_args", Native(parse))
    run.set_member(made, "parse_known_args", Native(parse_known))
    run.set_member(made, "add_argument_group", Native(group))
    run.set_member(made, "add_mutually_exclusive_group", Native(group))
    return made


def _attribute(args: Sequence[Value], kwargs: Mapping[str, Value]) -> str:
    """The attribute that holds an option: `dest`, else its first long flag, else its first name."""
    words = [one.value for one in (kwargs.get("dest"), *args) if isinstance(one, Constant)]
    names = [word for word in words if isinstance(word, str)]
    if "dest" not in kwargs:
        names = [name for name in names if name.startswith("--")] or names
    return names[0].lstrip("-").replace("-", "_") if names else ""


def _no_tensor() -> Unknown:
    """What a method of a parser returns: nothing that has to do with gradients."""
    made = Unknown()
    made.returned = made.alone = True
    return made
