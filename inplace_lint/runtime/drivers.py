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

#: The most drivers that are run for a block: more of them tend to use it in the same way.
MOST = 4
_Function = (ast.FunctionDef, ast.AsyncFunctionDef)
_Definition = (*_Function, ast.ClassDef)


@dataclass(frozen=True, slots=True)
class Driver:
    """A runnable entry of a file: `(function,)`, `(TestClass, method)`, or `()` for the main block."""

    names: tuple[str, ...]

    @property
    def told(self) -> str:
        """The entry as written in code: `main()` or `if __name__ == "__main__"`."""
        return f"{'.'.join(self.names)}()" if self.names else 'if __name__ == "__main__"'

    def ready(self, module: ModuleType, file: str) -> Callable[[], Any]:
        """Returns a callable that runs the entry of the imported `module`. Raises LookupError if it is missing."""
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
    """Returns the entries of a file that may reach a block: those that run a backward first, then the nearest.

    Reachability follows the names that each definition mentions. Candidates are functions without required arguments,
    `test*` methods of classes, and the main block; the block itself is none.
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
        # A main block that only calls chosen functions adds nothing.
        if names & set(steps) and not (names & set(steps) <= chosen and _only_calls(guard)):
            backward = "backward" in names or bool(names & differentiating)
            found.append((not backward, 1, guard.lineno, Driver(())))
    return [driver for *_, driver in sorted(found, key=lambda one: one[:3])][:MOST]


def _steps(mentioned: dict[str, set[str]], target: str) -> dict[str, int]:
    """Returns each definition that reaches the target, with its distance in mentions."""
    steps, front = {target: 0}, {target}
    while front:
        count = max(steps.values()) + 1
        front = {name for name, names in mentioned.items() if name not in steps and names & front}
        steps.update(dict.fromkeys(front, count))
    return steps


def _steps_to_backward(mentioned: dict[str, set[str]]) -> set[str]:
    """Returns the definitions that mention `backward` or `grad`, or a definition that does."""
    found: set[str] = set()
    while more := {
        name
        for name, names in mentioned.items()
        if name not in found and (names & {"backward", "grad"} or names & found)
    }:
        found |= more
    return found


def _outside(body: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    """Yields a module's statements, including those under `if`, `try` and `with`, but not inside the main block."""
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
    """Whether a function can be called with `given` arguments and is no generator."""
    arguments = node.args
    required = len(arguments.posonlyargs) + len(arguments.args) - len(arguments.defaults) - given
    if required > 0 or any(default is None for default in arguments.kw_defaults):
        return False
    return not any(isinstance(one, (ast.Yield, ast.YieldFrom)) for one in ast.walk(node))


def _is_fixture(node: ast.FunctionDef) -> bool:
    return any("fixture" in _mentioned(one) for one in node.decorator_list)


def _tests(node: ast.ClassDef) -> list[str]:
    """Returns the names of a class's `test*` methods that take nothing but `self`."""
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
    """Whether a main block consists only of calls without arguments."""
    return isinstance(node, ast.If) and all(
        isinstance(one, ast.Expr)
        and isinstance(one.value, ast.Call)
        and not (one.value.args or one.value.keywords)
        for one in node.body
    )
