"""Finds functions, tests and the main block of a file that reach a given class or function and take no arguments."""

from __future__ import annotations

import ast
import inspect
import unittest
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from .scripts import script

#: So many are run at most: who uses a block often does so in much the same way.
MOST = 4
_Function = (ast.FunctionDef, ast.AsyncFunctionDef)
_Definition = (*_Function, ast.ClassDef)


@dataclass(frozen=True, slots=True)
class Driver:
    """A function that needs no arguments, by its name; a test of a class, by both; without names the main block."""

    names: tuple[str, ...]

    @property
    def told(self) -> str:
        """As a person would write it."""
        return f"{'.'.join(self.names)}()" if self.names else 'if __name__ == "__main__"'

    def ready(self, module: ModuleType, file: str) -> Callable[[], Any]:
        """What runs it, once the file has been imported as `module`. Raises LookupError if it is not there."""
        if not self.names:
            return script(file)
        found = getattr(module, self.names[0], None)
        if len(self.names) == 2 and inspect.isclass(found):
            return _test(found, self.names[1])
        if not callable(found):
            raise LookupError(self.told)
        function: Callable[[], Any] = found
        return function


def drivers(source: str | bytes, block: Sequence[str]) -> list[Driver]:
    """What reaches a block of a file, judged by the names that are mentioned: first what runs a backward, and is near.

    Functions that can be called without arguments take part, and methods of classes of tests; the block itself not.
    """
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError):
        return []
    outside = list(_outside(tree.body))
    defined = {node.name: node for node in outside if isinstance(node, _Definition)}
    mentioned = {name: _mentioned(node) for name, node in defined.items()}
    steps = _steps(mentioned, block[0])
    differentiating = set(steps) & _steps_to_backward(mentioned)
    found: list[tuple[bool, int, int, Driver]] = []
    for name, node in defined.items():
        if name not in steps or name == block[0]:
            continue
        order = (name not in differentiating, steps[name], node.lineno)
        if isinstance(node, ast.FunctionDef) and _takes_nothing(node) and not _is_fixture(node):
            found.append((*order, Driver((name,))))
        elif isinstance(node, ast.ClassDef):
            found += [(*order, Driver((name, test))) for test in _tests(node)]
    guard = next((node for node in outside if _is_guard(node)), None)
    if guard is not None:
        names = _mentioned(guard)
        chosen = {one.names[0] for *_, one in found}
        # Where all that it does is to call one of them, that says the same.
        if names & set(steps) and not (names & set(steps) <= chosen and _only_calls(guard)):
            backward = "backward" in names or bool(names & differentiating)
            found.append((not backward, 1, guard.lineno, Driver(())))
    return [driver for *_, driver in sorted(found, key=lambda one: one[:3])][:MOST]


def _steps(mentioned: dict[str, set[str]], target: str) -> dict[str, int]:
    """How many mentions each definition is away from the target, as far as it reaches it."""
    steps, front = {target: 0}, {target}
    while front:
        count = max(steps.values()) + 1
        front = {name for name, names in mentioned.items() if name not in steps and names & front}
        steps.update(dict.fromkeys(front, count))
    return steps


def _steps_to_backward(mentioned: dict[str, set[str]]) -> set[str]:
    """The definitions that may run a backward, by what they mention or by what they call."""
    found: set[str] = set()
    while more := {
        name
        for name, names in mentioned.items()
        if name not in found and (names & {"backward", "grad"} or names & found)
    }:
        found |= more
    return found


def _outside(body: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements of a module, also those under an `if` or in a `try`, but for the main block's."""
    for node in body:
        yield node
        if isinstance(node, (ast.If, ast.Try, ast.With)) and not _is_guard(node):
            for part in ("body", "orelse", "handlers", "finalbody"):
                for one in getattr(node, part, ()):
                    yield from _outside(one.body if isinstance(one, ast.ExceptHandler) else [one])


def _mentioned(node: ast.AST) -> set[str]:
    return {
        one.id if isinstance(one, ast.Name) else one.attr
        for one in ast.walk(node)
        if isinstance(one, (ast.Name, ast.Attribute))
    }


def _takes_nothing(node: ast.FunctionDef, given: int = 0) -> bool:
    """Whether it can be called with `given` arguments, and gives a result rather than a generator."""
    arguments = node.args
    required = len(arguments.posonlyargs) + len(arguments.args) - len(arguments.defaults) - given
    if required > 0 or any(default is None for default in arguments.kw_defaults):
        return False
    return not any(isinstance(one, (ast.Yield, ast.YieldFrom)) for one in ast.walk(node))


def _is_fixture(node: ast.FunctionDef) -> bool:
    return any("fixture" in _mentioned(one) for one in node.decorator_list)


def _tests(node: ast.ClassDef) -> list[str]:
    """The tests of a class that pytest or unittest would collect."""
    return [
        one.name
        for one in node.body
        if isinstance(one, ast.FunctionDef) and one.name.startswith("test") and _takes_nothing(one, given=1)
    ]


def _test(owner: type, name: str) -> Callable[[], Any]:
    def run() -> Any:
        if issubclass(owner, unittest.TestCase):
            return owner(name).debug()
        instance = owner()
        for prepare in ("setup_method", "setUp"):
            if hasattr(instance, prepare):
                getattr(instance, prepare)()
        return getattr(instance, name)()

    return run


def _is_guard(node: ast.stmt) -> bool:
    return isinstance(node, ast.If) and "__name__" in _mentioned(node.test)


def _only_calls(node: ast.stmt) -> bool:
    """Whether a main block is nothing but calls of functions without arguments."""
    return isinstance(node, ast.If) and all(
        isinstance(one, ast.Expr)
        and isinstance(one.value, ast.Call)
        and not (one.value.args or one.value.keywords)
        for one in node.body
    )
