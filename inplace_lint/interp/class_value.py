"""Defines the abstract value of a class of the project, with its method resolution order."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..resolve.classes import of_modules
from ..resolve.hierarchy import linearised
from ..torchmodel.spelling import above
from .values import Symbol, Value

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..syntax.module import ClassSource

#: Modules whose classes a record may derive from.
_OF_RECORDS = frozenset(("abc", "builtins", "collections", "typing"))


class ClassValue(Value):
    """A class of the project with its bases resolved: `bases` are ClassValue, Symbol or Unknown."""

    __slots__ = ("_order", "_others", "bases", "frame", "held", "names_set", "source")

    def __init__(self, source: ClassSource) -> None:
        self.source = source
        self.bases: list[Value] = []
        #: the classes that the same statement made of other bases
        self._others: dict[tuple[object, ...], ClassValue] = {}
        #: the uid of the frame whose names its methods read, if a function defined it
        self.frame: int | None = None
        self._order: list[ClassValue | str | Value] = []
        #: caches: the attributes that its text sets, and all those of its objects (`entry_arguments`)
        self.names_set: frozenset[str] | None = None
        self.held: frozenset[str] | None = None

    def of_bases(self, bases: list[Value]) -> ClassValue:
        """The class as its statement makes it of these bases: one in a function may be given others each time."""
        if not self.bases:
            self.bases = bases
        names = [*map(_spelled, bases)]
        if None in names or names == [*map(_spelled, self.bases)]:
            return self
        if tuple(names) not in self._others:
            self._others[tuple(names)] = other = ClassValue(self.source)
            other.bases = bases
        return self._others[tuple(names)]

    def is_complete(self) -> bool:
        """Whether all its bases are resolved."""
        return bool(self._order)

    def _lookups(self) -> list[ClassValue | str | Value]:
        """The method resolution order; classes from outside as dotted names."""
        if self._order:
            return self._order
        orders: dict[ClassValue | str | Value, list[ClassValue | str | Value]] = {}

        def bases(cls: ClassValue | str | Value) -> Sequence[ClassValue | str | Value]:
            direct = _bases(cls)
            orders.update((b, b._order) for b in direct if isinstance(b, ClassValue) and b._order)
            return direct

        orders[self] = found = linearised(self, bases, orders)
        for cls, order in orders.items():
            if isinstance(cls, ClassValue) and _is_complete(order):
                cls._order = order
        return found

    def class_level(self) -> set[str]:
        """The names that its body, and those of its bases, assign."""
        return {name for cls in self.order() for name in cls.source.assignments}

    def order(self) -> list[ClassValue]:
        """The classes of the project in the method resolution order."""
        return [cls for cls in self._lookups() if isinstance(cls, ClassValue)]

    def external_bases(self) -> list[str]:
        """The dotted names of its bases from outside the project; "?" for an unknown one."""
        return [
            cls if isinstance(cls, str) else "?" for cls in self._lookups() if not isinstance(cls, ClassValue)
        ]

    def is_module(self) -> bool:
        """Whether its objects are modules, as far as its bases tell."""
        return of_modules([*(cls.source for cls in self.order()), *self.external_bases()])

    def holds_data(self) -> bool:
        """Whether its objects are records: all bases are of the project or plain classes of Python."""
        return all(base.partition(".")[0] in _OF_RECORDS for base in self.external_bases())


def _is_complete(order: Sequence[ClassValue | str | Value]) -> bool:
    """Whether the bases of all classes in a resolution order are resolved."""
    return all(cls.bases or not cls.source.bases for cls in order if isinstance(cls, ClassValue))


def _bases(cls: ClassValue | str | Value) -> Sequence[ClassValue | str | Value]:
    if isinstance(cls, str):
        return above(cls)
    direct = cls.bases if isinstance(cls, ClassValue) else ()
    return [base.dotted if isinstance(base, Symbol) else base for base in direct]


def _spelled(base: Value) -> object:
    """What tells a base from another: the class, or the name of one from outside; None if it is not known."""
    return base.dotted if isinstance(base, Symbol) else base if isinstance(base, ClassValue) else None
