"""Models `enum.Enum`: each member is one object with a name and a value; of enums of strings and numbers, the value."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .class_value import ClassValue
from .values import Constant, Instance, Symbol, Value

if TYPE_CHECKING:
    from .run import Run

_ENUMS = frozenset("enum.Enum enum.Flag enum.IntEnum enum.IntFlag enum.StrEnum".split())
#: Enums whose members equal their values.
_PLAIN = frozenset("enum.IntEnum enum.IntFlag enum.StrEnum builtins.str builtins.int".split())


def is_enum(cls: ClassValue) -> bool:
    return not _ENUMS.isdisjoint(cls.external_bases())


def is_member(value: Value) -> bool:
    """Whether a value is a member of an enum: one object, which equals no other."""
    return isinstance(value, Instance) and is_enum(value.cls)


def names(cls: ClassValue) -> list[str]:
    """The names of the members, in order."""
    return [name for one in cls.order() for name in one.source.assignments if not name.startswith("_")]


def member(run: Run, cls: ClassValue, name: str, value: Value) -> Value:
    """The member of an enum, for the value that its class body assigns."""
    if isinstance(value, Symbol) and value.dotted == AUTO:
        number = names(cls).index(name) + 1
        value = Constant(name.lower() if "enum.StrEnum" in cls.external_bases() else number)
    if not _PLAIN.isdisjoint(cls.external_bases()):
        return value
    made = Instance(cls, shared=run.builds)
    for attribute, held in (("value", value), ("_value_", value), ("name", Constant(name))):
        made.keys[attribute] = None
        run.bottom().slots[(made, attribute)] = held
    return made


#: What `enum.auto()` gives until the member is made.
AUTO = "enum.auto()"
