"""Finds inherited methods that act differently in a subclass, which overrides a method, class attribute or module."""

from __future__ import annotations

import ast
from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING

from ..resolve.hierarchy import linearised
from .init_attributes import attributes_built, uses
from .source_words import mentions, stands

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from ..syntax.module import ClassSource, FunctionSource, Module
    from .prefilter import Prefilter


def of_subclasses(
    prefilter: Prefilter, module: Module, writers: Collection[FunctionSource]
) -> Iterator[FunctionSource]:
    """Yields inherited methods as methods of a subclass in the file that changes what they write or save."""
    classes = module.classes
    builds = b"inplace" in module.source
    rows: list[int] = []
    if not classes or not (builds or writers):
        return
    for cls in classes.values():
        above = _order(cls)[1:]
        if not above:
            continue
        found = _methods(cls)
        swapped: set[bytes] = set()
        if builds and b"inplace" in cls.text:
            rows = rows or mentions(module, {"inplace"})
            swapped = _swapped(cls, above[0], rows)
        seen = {*cls.methods, *cls.assignments}
        for base in above:
            known = _methods(base)
            swapping = [name for name in found if known.get(name) is not found[name]]
            writing = [name for name in swapping if found[name] in writers]
            for name in base.methods:
                if name in seen or name == "__init__":
                    continue
                method = base.methods[name]
                others = swapping if method in writers else writing
                if (
                    (method in writers and not cls.assignments.keys().isdisjoint(base.assignments))
                    or (others and _calls(prefilter, method, others))
                    or (swapped and uses(method, swapped, stands))
                ):
                    yield module.as_method_of(method, cls)
            seen.update(base.methods)


def _order(cls: ClassSource) -> list[ClassSource]:
    """The MRO of a class, restricted to its file."""
    return linearised(cls, _bases, cls.module.memo.orders)


def _bases(cls: ClassSource) -> list[ClassSource]:
    classes = cls.module.classes
    return [classes[base.id] for base in cls.bases if type(base) is ast.Name and base.id in classes]


def _methods(cls: ClassSource) -> dict[str, FunctionSource]:
    """The methods that a class finds by name in its file, inherited ones included."""
    found = cls.found
    if found is None:
        found = cls.found = {}
        for one in _order(cls):
            for name, method in one.methods.items():
                found.setdefault(name, method)
    return found


def _calls(prefilter: Prefilter, method: FunctionSource, names: Collection[str]) -> bool:
    """Whether a method calls one of these methods on `self`."""
    receiver = method.parameters[0].arg if method.parameters else ""
    return any(name in names for name in prefilter.asked(method).called(receiver))


def _swapped(cls: ClassSource, base: ClassSource, rows: list[int]) -> set[bytes]:
    """Attributes that the class, unlike its base, builds to work in place (`inplace=True`)."""
    module = cls.module
    first, last = cls.node.lineno, cls.node.end_lineno or 0
    rows = rows[bisect_left(rows, first) : bisect_right(rows, last)]
    found: set[bytes] = set()
    if "__init__" in cls.methods:
        found |= attributes_built(cls.methods["__init__"], rows, True)
    names: set[str] = set()
    for name, value in cls.assignments.items():
        if value is not None:
            for row in rows:
                if value.lineno <= row <= (value.end_lineno or 0):
                    names.add(name)
    found.update(name.encode() for name in names)
    if names and "__init__" in base.methods:
        found |= attributes_built(base.methods["__init__"], mentions(module, names), True)
    return found
