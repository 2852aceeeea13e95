"""The classes of a project: what each derives from, and where it finds its methods."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ..syntax.module import ClassSource
from .hierarchy import linearised

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..syntax.module import FunctionSource
    from .names import Names


class Classes:
    """The order of look-ups of each class, once somebody asked; classes from outside stand in it by dotted names."""

    def __init__(self, names: Names) -> None:
        self.names = names
        self.orders: dict[ClassSource, list[ClassSource | str]] = {}
        #: those that no circle runs through
        self._linear: dict[ClassSource | str, list[ClassSource | str]] = {}

    def order(self, source: ClassSource) -> list[ClassSource | str]:
        """The class and all that it derives from, in the order in which attributes are looked up."""
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
        """The method that an object of the class finds under a name; past `after` for `super()`."""
        order = self.order(source)
        if after is not None and after in order:
            order = order[order.index(after) + 1 :]
        for cls in order:
            if not isinstance(cls, str):
                method = cls.methods.get(name)
                if method is not None:
                    return method
        return None

    def derives(self, source: ClassSource, prefix: str) -> bool:
        """Whether a class derives from one outside of the project whose dotted name begins like this."""
        for base in self.order(source):  # noqa: SIM110  a generator takes longer
            if isinstance(base, str) and base.startswith(prefix):
                return True
        return False


def heirs(cls: ClassSource) -> list[ClassSource]:
    """The classes at the top level of its file that derive from a class, by the names of their bases."""
    names, found = {cls.name}, []
    for one in cls.module.classes.values():  # a base stands before its heirs
        if one is not cls and any(getattr(base, "id", "") in names for base in one.bases):
            names.add(one.name)
            found.append(one)
    return found
