"""Finds the entry points of a file: uncalled functions from which a write in another class or function is reachable.

A file of models without a training loop is used by a loop elsewhere, which calls these functions and runs a backward
through their results.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ..syntax.nodes import walk_at
from .source_words import may_be_read, rows_with
from .text_screen import is_sequential, rows_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from ..syntax.module import ClassSource, FunctionSource, Module
    from .prefilter import Prefilter
    from .roles import Roles

#: Methods that Python runs when an object is created, called or iterated over.
_RUN = ("__init__", "__post_init__", "forward", "__call__", "__iter__", "__next__")


def writing(prefilter: Prefilter, module: Module) -> set[FunctionSource]:
    """The functions of a file, other than `__init__`, with a write that may hit a tensor of their caller.

    Empty where the file has fewer than two definitions.
    """
    if len(module.functions) + len(module.classes) < 2:
        return set()  # nothing is entered from somewhere else
    found = {f for row in rows_of(module) for f in module.functions_at(row)[:1] if f.name != "__init__"}
    found &= prefilter.candidates(module).keys()
    return found


def entry_points(
    prefilter: Prefilter,
    roles: Roles,
    writing: set[FunctionSource],
    left_open: Collection[FunctionSource],
) -> Iterator[tuple[ClassSource | None, FunctionSource]]:
    """The entry points: (None, function) where a parameter fits a class of the file, or (class, method).

    The `__init__` of a `Sequential` class stands for the `forward` that it inherits.
    """
    reach = _Reach(roles)
    for cls, top in _uncalled(roles):
        others = {f for f in reach.of(cls, top) & writing if f is not top}
        if (
            any(cls is None or f.owner is not cls for f in others)
            and not prefilter.passes_over(top)
            and any(f in left_open for f in (top, *others))
        ):
            yield cls, top


def _uncalled(roles: Roles) -> Iterator[tuple[ClassSource | None, FunctionSource]]:
    """Functions that take objects of the file's classes, and public methods, that nothing in the file names."""
    module = roles.module
    named = _named(module)
    for function in module.functions.values():
        if function.name not in named and any(roles.given(function)):
            yield None, function
    for cls in module.classes.values():
        if cls.name in roles.built or roles.leaves(cls) != [cls]:
            continue
        if is_sequential(cls) and "__init__" in cls.methods and "forward" not in cls.methods:
            yield cls, cls.methods["__init__"]
        for method in cls.methods.values():
            called = method.name.startswith("_") or method.name in named
            if method.receiver and (method.name in ("forward", "__call__") or not called):
                yield cls, method


class _Reach:
    """A call graph of one file, built from names and from the classes that fit parameters."""

    def __init__(self, roles: Roles) -> None:
        self._roles = roles
        self._methods: dict[str, list[FunctionSource]] = {}
        for cls in roles.module.classes.values():
            for name, method in cls.methods.items():
                self._methods.setdefault(name, []).append(method)
        self._next: dict[FunctionSource, list[FunctionSource]] = {}

    def of(self, cls: ClassSource | None, top: FunctionSource) -> set[FunctionSource]:
        """All functions reachable from a function, or from a method of `cls`, and from the objects that it is given."""
        pending = [top]
        if cls is not None:
            pending += self._run(cls)
        for _, classes in self._roles.given(top):
            pending += [method for one in classes for method in self._run(one)]
        found: set[FunctionSource] = set()
        while pending:
            function = pending.pop()
            if function not in found:
                found.add(function)
                if function not in self._next:
                    self._next[function] = [*self._after(function)]
                pending += self._next[function]
        return found

    def _run(self, cls: ClassSource) -> list[FunctionSource]:
        methods = (self._roles.method(cls, name) for name in _RUN)
        return [method for method in methods if method is not None]

    def _after(self, function: FunctionSource) -> Iterator[FunctionSource]:
        module = self._roles.module
        for name in self._roles.uses(function).read:
            yield from self._methods.get(name, ())
            if name in module.functions:
                yield module.functions[name]
            elif name in module.classes:
                yield from self._run(module.classes[name])
        if function.name == "__init__":
            for _, classes in self._roles.given(function):
                for cls in classes:
                    yield from self._run(cls)


def _named(module: Module) -> set[str]:
    """The names that the file reads on rows where a function or public method is named."""
    words = {*module.functions}
    for cls in module.classes.values():
        words.update(name for name in cls.methods if name != "forward" and not name.startswith("_"))
    rows = sorted(row for word in words for row in rows_with(module, word.encode(), may_be_read))
    return {
        node.id if isinstance(node, ast.Name) else node.attr
        for node in walk_at(module.tree, rows)
        if isinstance(node, (ast.Name, ast.Attribute)) and isinstance(node.ctx, ast.Load)
    }
