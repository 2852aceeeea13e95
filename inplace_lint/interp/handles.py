"""Wraps abstract values so that Python's own containers can hold and compare them."""

from __future__ import annotations

from collections.abc import Hashable

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
            same = are_same(self.value, other.value)
            if same is not None:
                return same
            raise Undecided
        if isinstance(self.value, Tensor) and isinstance(other, str):
            return False
        if isinstance(self.value, (Sequence_, Mapping_)) and isinstance(other, _NO_CONTAINERS):
            return False
        if is_plain_object(self.value):
            return False
        raise Undecided

    def __hash__(self) -> int:
        if is_plain_object(self.value) or isinstance(self.value, Tensor):
            return hash(_kind(self.value))
        raise Undecided

    def __lt__(self, other: object) -> bool:
        raise Undecided

    __le__ = __gt__ = __ge__ = __lt__

    def __bool__(self) -> bool:
        raise Undecided


def are_same(left: Value, right: Value) -> bool | None:
    """Whether two values are equal, of those that equal no other one; None if that is not known.

    Each run meets functions, and objects of the top level of a file, as values of its own.
    """
    if left is right:
        return True
    if not (is_plain_object(left) and is_plain_object(right)):
        return None
    if _kind(left) != _kind(right):
        return False
    if isinstance(left, (Symbol, OpValue)):
        return True
    if isinstance(left, FunctionValue) and isinstance(right, FunctionValue):
        return True if left.frame is None and right.frame is None else None
    if isinstance(left, Bound) and isinstance(right, Bound) and not left.kwargs and not right.kwargs:
        same = [are_same(*pair) for pair in zip([left.func, *left.args], [right.func, *right.args])]
        return True if len(left.args) == len(right.args) and all(same) else None
    if isinstance(left, Instance) and isinstance(right, Instance):
        if left.bound_to is not None and right.bound_to is not None:
            return left.bound_to == right.bound_to
        return False if left.shared == right.shared else None
    return None if isinstance(left, (Bound, Native)) or isinstance(right, Bound) else False


def _kind(value: Value) -> Hashable:
    """What two values have in common if they may be the same."""
    if isinstance(value, Bound):
        return _kind(value.func)
    if isinstance(value, Symbol):
        return value.dotted
    if isinstance(value, OpValue):
        return id(value.op)
    if isinstance(value, FunctionValue):
        return id(value.source)
    if isinstance(value, Native):
        return Native
    if isinstance(value, Instance) and not enums.is_enum(value.cls):
        return id(value.cls)
    return id(value)


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
