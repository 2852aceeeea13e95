"""Recognises dataclasses and attrs classes, whose `__init__` a decorator generates from the fields."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..resolve.hierarchy import RECORDS
from .atoms import Symbol
from .construct import classes_of
from .expressions import Scope

if TYPE_CHECKING:
    from ..syntax.module import ClassSource


def is_record(scope: Scope, source: ClassSource) -> bool:
    """Whether the `__init__` that is found first is one that a decorator has written from the fields of a class."""
    for cls in classes_of(scope, source):
        if isinstance(cls, str):
            continue
        if "__init__" in cls.methods:
            return False
        for decorator in cls.node.decorator_list:
            made = Scope(scope.prefilter, cls.module).value(getattr(decorator, "func", decorator))
            if any(isinstance(atom, Symbol) and atom.dotted in RECORDS for atom in made):
                return True
    return False


def fields(scope: Scope, source: ClassSource) -> list[str]:
    """The names that the body of a class, and of its bases, states: the fields of a dataclass, in their order."""
    found: dict[str, None] = {}
    for cls in reversed(classes_of(scope, source)):
        if not isinstance(cls, str):
            found.update(dict.fromkeys(cls.assignments))
    return [*found]
