"""Decides `isinstance`, `issubclass`, `type(x)` and `callable` where the class of the value is known."""

from __future__ import annotations

import collections.abc
import enum
import numbers
import types
import typing
from typing import TYPE_CHECKING

from ..torchmodel import classes as torch_classes
from ..torchmodel import table
from .class_value import ClassValue
from .joins import join
from .values import (
    Bound,
    Constant,
    FunctionValue,
    Instance,
    Mapping_,
    OpValue,
    Parameters,
    Phi,
    Scalar,
    Sequence_,
    Symbol,
    Tensor,
    TorchModule,
    Unknown,
    Value,
)

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from .guards import Guard
    from .run import Run


def is_tensor(run: Run, args: Sequence[Value]) -> Value:
    """torch.is_tensor(x), isinstance(x, torch.Tensor)."""
    if args and isinstance(args[0], Tensor) and args[0].storage.proved:
        return Constant(True)
    if args and isinstance(args[0], (Constant, Scalar, Sequence_, Mapping_, TorchModule)):
        return Constant(False)
    if args and isinstance(args[0], Instance):
        bases = args[0].cls.external_bases()
        if "torch.Tensor" in bases or all(base.startswith("torch.nn.") for base in bases):
            return Constant("torch.Tensor" in bases)
    return run.test(("isinstance", run.shown_by(args[0]) if args else None, "torch.Tensor"))


def is_told_apart(run: Run, value: Value, guard: Guard) -> bool:
    """Whether `isinstance` tests on all paths of the guard have found the value no tensor, or a list or dict."""
    value = run.shown_by(value)
    return run.is_told(("isinstance", value, "torch.Tensor"), False, guard) or any(
        run.is_told(("isinstance", value, f"builtins.{kind}"), True, guard) for kind in ("dict", "list")
    )


def is_instance(run: Run, args: Sequence[Value]) -> Value:
    """isinstance(x, C), isinstance(x, (C, D))."""
    if len(args) != 2:
        return Scalar()
    obj, kind = args
    if isinstance(obj, Phi):
        answers = [(guard, is_instance(run, [atom, kind])) for guard, atom in run.live(obj)]
        return join(answers) if answers else Scalar()
    kinds = run.elements(kind) if isinstance(kind, Sequence_) and kind.kind == "tuple" else [kind]
    return _any(run, [_is_a(run, obj, one) for one in kinds], ("isinstance", obj, kind))


def is_subclass(run: Run, args: Sequence[Value]) -> Value:
    """issubclass(C, D), issubclass(C, (D, E))."""
    if len(args) != 2:
        return Scalar()
    cls, kind = args
    kinds = run.elements(kind) if isinstance(kind, Sequence_) and kind.kind == "tuple" else [kind]
    answers = [_derives(cls, one) for one in kinds]
    test = run.test(("issubclass", cls, kind))
    return _any(run, [test if one is None else Constant(one) for one in answers], ("issubclass", cls, kind))


def is_function(run: Run, args: Sequence[Value]) -> Value:
    """inspect.isfunction(f)."""
    return is_instance(run, [*args, Symbol("types.FunctionType")])


def is_class(run: Run, args: Sequence[Value]) -> Value:
    """inspect.isclass(C)."""
    return is_instance(run, [*args, Symbol("builtins.type")])


def is_callable(run: Run, args: Sequence[Value]) -> Value:
    """callable(f)."""
    return is_instance(run, [*args, Symbol("collections.abc.Callable")])


def _any(run: Run, answers: list[Value], question: Hashable) -> Value:
    """The disjunction of answers; a test of its own, under the key `question`, if it is not decided."""
    if len(answers) == 1:
        return answers[0]
    told = [answer.value for answer in answers if isinstance(answer, Constant)]
    if any(told) or len(told) == len(answers):
        return Constant(any(told))
    return run.test(question)


def type_of(run: Run, args: Sequence[Value]) -> Value:
    """type(x), where that is a class of the project or of torch."""
    if len(args) != 1:
        return Unknown()
    found = [(guard, class_of(atom) or run.scalar(("type", atom))) for guard, atom in run.live(args[0])]
    return join(found) if found else Unknown()


def class_of(obj: Value) -> Value | None:
    """The class of a value, if it is known; a `Symbol` for a class of torch or of Python."""
    if isinstance(obj, Instance):
        return obj.cls
    if isinstance(obj, TorchModule):
        return Symbol(obj.name)
    if isinstance(obj, (Sequence_, Mapping_)) and obj.kind in ("Sequential", "ModuleList", "ModuleDict"):
        return Symbol(f"torch.nn.{obj.kind}")
    if isinstance(obj, Tensor) and obj.storage.origin == "factory":
        return Symbol("torch.Tensor")  # a factory such as torch.zeros makes no instance of a subclass
    if isinstance(obj, FunctionValue) and not obj.decorated:
        return Symbol("types.FunctionType")
    if isinstance(obj, Constant) and type(obj.value).__name__ in _BUILTIN_TYPES:
        return Symbol(f"builtins.{type(obj.value).__name__}")
    if isinstance(obj, (Sequence_, Mapping_)) and obj.kind in _BUILTIN_TYPES:
        return Symbol(f"builtins.{obj.kind}")
    if isinstance(obj, ClassValue) or (isinstance(obj, Symbol) and table.module(obj.dotted) is not None):
        return Symbol("builtins.type")  # or a metaclass, which derives from it
    return None


def are_same(run: Run, left: Value, right: Value) -> bool | None:
    """Whether two classes are the same, or `torch.__version__` is some word; None if that is not known."""
    if isinstance(left, ClassValue) and isinstance(right, ClassValue):
        return left is right
    if isinstance(left, Symbol) and isinstance(right, Symbol):
        classes = all(one.dotted.startswith(("torch.nn.", "builtins.")) for one in (left, right))
        return left.dotted == right.dotted if classes else None
    for one, other in ((left, right), (right, left)):
        if isinstance(one, ClassValue) and isinstance(other, Symbol) and other.dotted.startswith("torch."):
            return False
        if isinstance(one, Symbol) and one.dotted == "torch.__version__" and _is_word(other):
            return False  # versions have digits; a fork under another name is not analysed
        if isinstance(one, Scalar) and isinstance(other, Symbol) and other.dotted.startswith("builtins."):
            key = run.key_of(one)
            if isinstance(key, tuple) and key[0] == "type" and _is_of_no_class(key[1], other.dotted[9:]):
                return False
    return None


def is_of_type(run: Run, type_: Value, cls: Value) -> Value | None:
    """Whether `type(x)` is a class of Python, as `isinstance` says of x; None if that is not the question.

    Else a path on which x is a tensor by `isinstance`, and a tuple by its type, would look possible.
    """
    key = run.key_of(type_) if isinstance(type_, Scalar) else None
    if not (isinstance(key, tuple) and key[0] == "type" and isinstance(cls, Symbol)):
        return None
    space, _, name = cls.dotted.rpartition(".")
    return is_instance(run, [key[1], cls]) if space == "builtins" and name in _BUILTIN_TYPES else None


def _is_of_no_class(value: Value, builtin: str) -> bool:
    """Whether a value is no direct instance of a class of Python, of whichever class it is."""
    open_ = isinstance(value, (Unknown, Scalar, Constant, Symbol, Phi))
    return isinstance(value, Tensor) or (not open_ and builtin in _NO_CONTAINERS)


def _is_word(value: Value) -> bool:
    """Whether a value is a string without any digit."""
    return (
        isinstance(value, Constant)
        and isinstance(value.value, str)
        and not any(character.isdigit() for character in value.value)
    )


def _derives(cls: Value | None, base: Value) -> bool | None:
    """Whether a class is `base` or derives from it; None if that is not known."""
    if isinstance(cls, ClassValue):
        if isinstance(base, ClassValue):
            return True if base in cls.order() else None if "?" in cls.external_bases() else False
        if isinstance(base, Symbol):
            answers = [_derives(Symbol(one), base) for one in cls.external_bases()]
            return True if True in answers else None if None in answers else False
    if isinstance(cls, Symbol):
        if isinstance(base, Symbol):
            if cls.dotted in _OF_PYTHON or base.dotted in _OF_PYTHON:
                return _derives_in_python(cls.dotted, base.dotted)
            if base.dotted.startswith("builtins.") and cls.dotted.startswith("torch."):
                return base.dotted == "builtins.object"
            return torch_classes.derives(cls.dotted, base.dotted)
        if isinstance(base, ClassValue) and cls.dotted.startswith("torch."):
            return False  # no class of torch derives from one of the project
    return None


def _derives_in_python(cls: str, base: str) -> bool | None:
    """`_derives` if one of the two is the class of functions, or `type`."""
    if _OF_PYTHON.get(cls, cls) == _OF_PYTHON.get(base, base) or base == "builtins.object":
        return True
    if "types.FunctionType" in (_OF_PYTHON.get(cls), _OF_PYTHON.get(base)):
        # No class derives from FunctionType, and its only base is object, but those that say what may be done with it.
        return None if base.startswith(("collections.abc.", "typing.")) else False
    return False if (cls if base in _OF_PYTHON else base).startswith(("builtins.", "torch.")) else None


def _is_callable(obj: Value) -> bool | None:
    """Whether a value can be called; None if that is not known."""
    if isinstance(obj, Instance):
        if any("__call__" in cls.source.methods for cls in obj.cls.order()) or obj.cls.is_module():
            return True
        return False if obj.cls.holds_data() else None
    if isinstance(obj, (Sequence_, Mapping_)):
        return obj.kind in ("Sequential", "ModuleList", "ModuleDict")
    if isinstance(obj, (FunctionValue, ClassValue, Bound, OpValue, TorchModule)):
        return True
    return False if isinstance(obj, Constant) or (isinstance(obj, Tensor) and obj.storage.proved) else None


def _is_a(run: Run, obj: Value, kind: Value) -> Value:
    """isinstance(obj, kind) for one class: a constant, or a test of the path."""
    dotted = kind.dotted if isinstance(kind, Symbol) else ""
    if dotted == "torch.Tensor":
        return is_tensor(run, [obj])
    if dotted in ("collections.abc.Callable", "typing.Callable"):
        answer = _is_callable(obj)
        return run.test(("isinstance", obj, dotted)) if answer is None else Constant(answer)
    plain = isinstance(obj, (Constant, Sequence_, Mapping_)) and dotted.startswith("builtins.")
    known = None if plain else _derives(class_of(obj), kind)
    if known is not None:
        return Constant(known)
    name = dotted.rpartition(".")[2]
    if dotted.startswith("builtins."):
        if isinstance(obj, Tensor) and obj.storage.proved:
            return Constant(False)
        if name == "object":
            return Constant(True)
        if isinstance(obj, Sequence_) and not (obj.kind in _LIST_OR_TUPLE and name in ("list", "tuple")):
            return Constant(name == obj.kind)
        if isinstance(obj, Mapping_) and obj.kind == "dict":
            return Constant(name == "dict")
        if isinstance(obj, Constant) and name in _BUILTIN_TYPES:
            return Constant(isinstance(obj.value, _BUILTIN_TYPES[name]))
    if dotted in _OF_PYTHON and isinstance(obj, (Constant, Sequence_, Mapping_)):
        return Constant(False)
    standard = _standard_class(dotted)
    told = {issubclass(one, standard) for one in _classes_in_python(obj)} if standard is not None else set()
    if len(told) == 1:
        return Constant(told.pop())
    collection = dotted.startswith("collections.abc.") or name in _BUILTIN_TYPES
    if collection and name not in _NUMBERS and _is_number(obj):
        return Constant(False)
    return run.test(("isinstance", run.shown_by(obj), dotted or kind))


def _classes_in_python(value: Value) -> list[type]:
    """The classes of Python that a constant, a container or a function may be of; none if they are not known."""
    if isinstance(value, Constant):
        return [type(value.value)] if value.value is None or class_of(value) is not None else []
    if isinstance(value, (Sequence_, Mapping_)):
        kinds = ("list", "tuple") if value.kind in _LIST_OR_TUPLE else (value.kind,)
        return [_BUILTIN_TYPES[kind] for kind in kinds if kind in _BUILTIN_TYPES]
    if isinstance(value, Parameters):
        return [types.GeneratorType]
    return [types.FunctionType] if isinstance(value, FunctionValue) and not value.decorated else []


def _standard_class(dotted: str) -> type | None:
    """A class of Python's own modules that says what may be done with a value, as `collections.abc.Mapping`."""
    space, _, name = dotted.rpartition(".")
    found = getattr(_SPACES.get(space), name, None)
    found = getattr(found, "__origin__", found)  # of `typing.Mapping`
    return found if isinstance(found, type) else None


def _is_number(value: Value) -> bool:
    if isinstance(value, Constant):
        return value.value is None or isinstance(value.value, (int, float))
    return isinstance(value, Scalar) and value.number


#: The class of functions, under both of its names, and the class of classes.
_OF_PYTHON = {
    "types.FunctionType": "types.FunctionType",
    "types.LambdaType": "types.FunctionType",
    "builtins.type": "builtins.type",
}

#: The modules of Python with classes that say what may be done with a value, by name.
_SPACES = {"collections.abc": collections.abc, "enum": enum, "numbers": numbers, "typing": typing}

#: Kinds of sequences that are lists or tuples: what `split` returns, what an annotation calls a sequence.
_LIST_OR_TUPLE = ("unknown", "fresh")

#: The collections below that a number may be an instance of.
_NUMBERS = frozenset("int float complex bool Hashable".split())

#: Classes of Python that hold no other values.
_NO_CONTAINERS = frozenset(["bool", "int", "float", "complex", "str", "bytes"])

_BUILTIN_TYPES: dict[str, type] = {
    kind.__name__: kind
    for kind in (bool, int, float, complex, str, bytes, list, tuple, dict, set, frozenset, range, slice)
}
