"""Computes the method resolution order of the project's classes, and looks up methods along it."""

from __future__ import annotations

import ast
import sys
from typing import TYPE_CHECKING

from ..syntax.module import ClassSource
from .hierarchy import linearised

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ..syntax.module import FunctionSource
    from .names import Names

#: Packages whose classes are known: no class of the standard library is a torch module.
_KNOWN = sys.stdlib_module_names | {"torch"}


class Classes:
    """The MRO of each class, computed on demand; classes from outside the project stand in it as dotted names."""

    def __init__(self, names: Names) -> None:
        self.names = names
        self.orders: dict[ClassSource, list[ClassSource | str]] = {}
        #: orders of classes that are not part of an inheritance cycle
        self._linear: dict[ClassSource | str, list[ClassSource | str]] = {}

    def order(self, source: ClassSource) -> list[ClassSource | str]:
        """The MRO of a class: the class and all its bases, in the order in which attributes are looked up."""
        known = self.orders.get(source)
        if known is None:
            known = self.orders[source] = linearised(source, self._bases, self._linear)
        return known

    def _bases(self, cls: ClassSource | str) -> Sequence[ClassSource | str]:
        if isinstance(cls, str):
            return self.names.outside.bases(cls)
        found: list[ClassSource | str] = []
        for base in cls.bases:
            node = base.value if isinstance(base, ast.Subscript) else base  # `Generic[T]`
            definition = self.names.resolve(cls.module, node)
            if definition is not None and isinstance(definition.what, (ClassSource, str)):
                found.append(definition.what)
        return found

    def method(
        self, source: ClassSource, name: str, after: ClassSource | None = None
    ) -> FunctionSource | None:
        """The method with this name, found along the MRO, past the class `after` for `super()`."""
        order = self.order(source)
        if after is not None and after in order:
            order = order[order.index(after) + 1 :]
        for cls in order:
            if not isinstance(cls, str):
                method = cls.methods.get(name)
                if method is not None:
                    return method
        return None

    def is_module(self, source: ClassSource) -> bool:
        """Whether a class derives from `nn.Module`, or can only be a module (`of_modules`)."""
        return of_modules(self.order(source))


def of_modules(order: Iterable[ClassSource | str]) -> bool:
    """Whether an MRO is that of a module: it names a torch module, or one of another package and defines `forward`.

    A base from an unknown package counts as a module if a class of the MRO defines `forward` in a file about torch,
    since only modules have a method of that name.
    """
    elsewhere = forward = False
    for cls in order:
        if not isinstance(cls, str):
            forward = forward or ("forward" in cls.methods and b"torch" in cls.module.source)
        elif cls.startswith("torch.nn."):
            return True
        elif is_elsewhere(cls):
            elsewhere = True
    return elsewhere and forward


def is_elsewhere(base: str) -> bool:
    """Whether a base that is no class of the project, given by its dotted name, is of a package that is not known."""
    return base.partition(".")[0] not in _KNOWN


def heirs(cls: ClassSource) -> list[ClassSource]:
    """The classes at the top level of a class's file that derive from it, judged by the names of their bases."""
    names, found = {cls.name}, []
    for one in cls.module.classes.values():  # a base is defined before its subclasses
        if one is not cls and any(getattr(base, "id", "") in names for base in one.bases):
            names.add(one.name)
            found.append(one)
    return found
