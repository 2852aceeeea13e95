"""Wraps abstract values so that Python's own containers can hold and compare them."""

from __future__ import annotations

from . import enums
from .class_value import ClassValue
from .ordered import Undecided
from .values import (
    Bound,
    FunctionValue,
    Instance,
    Mapping_,
    Native,
    OpValue,
    Sequence_,
    Symbol,
    Tensor,
    TorchModule,
    Value,
)

_NO_CONTAINERS = (str, bytes, int, float, complex, type(None))


class Handle:
    """A value in a Python container; it equals itself, and a comparison that depends on more raises `Undecided`."""

    __slots__ = ("value",)

    def __init__(self, value: Value) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Handle):
            if self.value is other.value:
                return True
            if isinstance(self.value, Symbol) and isinstance(other.value, Symbol):
                return self.value.dotted == other.value.dotted
        if isinstance(self.value, Tensor) and isinstance(other, str):
            return False
        if isinstance(self.value, (Sequence_, Mapping_)) and isinstance(other, _NO_CONTAINERS):
            return False
        if is_plain_object(self.value) and (not isinstance(other, Handle) or is_plain_object(other.value)):
            return False
        raise Undecided

    def __hash__(self) -> int:
        if isinstance(self.value, Symbol):
            return hash(self.value.dotted)
        if is_plain_object(self.value) or isinstance(self.value, Tensor):
            return id(self.value)
        raise Undecided

    def __lt__(self, other: object) -> bool:
        raise Undecided

    __le__ = __gt__ = __ge__ = __lt__

    def __bool__(self) -> bool:
        raise Undecided


def is_plain_object(value: Value) -> bool:
    """Whether a value equals no other one: an object whose class does not define `==`, a function, a class."""
    if isinstance(value, Instance):
        return value.cls.is_module() or enums.is_enum(value.cls) or _is_compared_by_identity(value.cls)
    if isinstance(value, (Sequence_, Mapping_)):
        return value.kind in ("Sequential", "ModuleList", "ModuleDict")  # other containers equal their like
    return isinstance(value, (TorchModule, FunctionValue, ClassValue, Symbol, Native, OpValue, Bound))


def _is_compared_by_identity(cls: ClassValue) -> bool:
    """Whether no class of an object defines `==`, nor a decorator or a base from outside that may."""
    return not cls.external_bases() and not any(
        "__eq__" in one.source.methods or one.source.node.decorator_list for one in cls.order()
    )
