"""Makes first arguments, objects and dicts among them: by their class, or by what the code reads of them."""

from __future__ import annotations

import ast
import enum
import inspect
import re
import sys
import textwrap
import types
import typing
from collections.abc import Iterator, Mapping
from typing import Any

import torch

from .guess import EMPTY, argument, constructor_value, parameters, shape_words
from .stated import called
from .trial import Failure
from .values import Built, flat

#: How deep classes are built for the fields of others, and the most fields that are made for one object.
_DEPTH, _FIELDS = 4, 32
_FREE = inspect.Parameter("value", inspect.Parameter.KEYWORD_ONLY)

#: What code reads of a value, each with what it reads of that in turn: attributes by name, string keys behind a `[`.
Reads = dict[str, "Reads"]


def first_constructor(target: Any) -> dict[str, Any]:
    """Returns values for a constructor's required parameters."""
    if not inspect.isclass(target):
        return {}
    hints = _hints(target)
    taken = parameters(target)
    read = read_of(target, set(taken))
    return {
        name: value_for(name, one, hints.get(name, EMPTY), read.get(name))
        for name, one in taken.items()
        if one.default is EMPTY
    }


def first_arguments(target: Any, instance: Any) -> dict[str, Any]:
    """Returns values for a call's required parameters; `instance` is the constructed target, None for a function."""
    _, forward = called(target)
    words = shape_words(forward)
    taken = {name: one for name, one in parameters(forward).items() if one.default is EMPTY}
    read = read_of(forward, set(taken))
    found: dict[str, Any] = {}
    for name, one in taken.items():
        keys = [key.lstrip("[") for key in read.get(name, ()) if key.startswith("[")]
        if keys and "Tensor" not in str(one.annotation):
            found[name] = {key: argument(key, None, words, instance) for key in keys[:_FIELDS]}
        else:
            found[name] = argument(name, one, words, instance)
    return found


def optional(target: Any, name: str, parameter: inspect.Parameter) -> Any:
    """Returns a value for one parameter of a constructor whose default None did not do."""
    hint = _hints(target).get(name, EMPTY) if inspect.isclass(target) else EMPTY
    read = read_of(target, {name}) if inspect.isclass(target) else {}
    return value_for(name, parameter, hint, read.get(name))


def inside(values: Mapping[str, Any]) -> dict[str, inspect.Parameter]:
    """Returns the parameters of all objects among a constructor's values, by the names that `flat` gives them."""
    found = {}
    for name, value in flat(values).items():
        if isinstance(value, Built) and value.make is not types.SimpleNamespace:
            found.update({f"{name}.{own}": one for own, one in parameters(value.make).items()})
        elif "." in name:
            found.setdefault(name, _FREE)
    return found


def integers(target: Any, values: Mapping[str, Any]) -> dict[str, int]:
    """Returns the integers that a constructor is given, also in objects and by default."""
    own = parameters(target) if inspect.isclass(target) else {}
    defaults = {name: one.default for name, one in {**own, **inside(values)}.items()}
    return {name: one for name, one in {**defaults, **flat(values)}.items() if type(one) is int}


def wanting(values: Mapping[str, Any], failure: Failure) -> Iterator[tuple[str, Any]]:
    """Yields names and values of what an object or a dict made here misses, as an error says."""
    error = failure.error
    missing = getattr(error, "name", None) or ""
    if isinstance(error, AttributeError) and isinstance(error.obj, types.SimpleNamespace):
        open_ = {
            name: value.fields
            for name, value in flat(values).items()
            if isinstance(value, Built) and value.make is types.SimpleNamespace
        }
    elif isinstance(error, KeyError) and error.args and isinstance(error.args[0], str):
        missing = error.args[0]
        open_ = {name: value for name, value in flat(values).items() if isinstance(value, dict)}
    elif isinstance(error, AttributeError) and type(error.obj) in (int, float, bool):
        # A number stands where an object with attributes is read.
        for name, value in flat(values).items():
            own = name.rpartition(".")[2]
            if value == error.obj and re.search(rf"\b{own}\.{missing}\b", failure.text):
                yield name, _with_parts({missing: {}})
        return
    else:
        return
    for name, fields in open_.items():
        if missing not in fields:
            yield f"{name}.{missing}", constructor_value(missing, _FREE)


def value_for(
    name: str, parameter: inspect.Parameter, hint: Any = EMPTY, read: Reads | None = None, depth: int = _DEPTH
) -> Any:
    """Returns a value for a parameter: an object of its class, one with what is read of it, or a plain guess."""
    made = _of_class(hint, depth)
    if made is not None:
        return made
    plain = constructor_value(name, parameter)
    if read and isinstance(plain, (bool, int, float)):
        return _with_parts(read)
    return plain


def _with_parts(read: Reads) -> Any:
    """Returns a dict, if a string key is read, or else an object with the attributes that are read."""
    keyed = {name: further for name, further in read.items() if name.startswith("[")}
    parts = {
        name.lstrip("["): _with_parts(further) if further else constructor_value(name.lstrip("["), _FREE)
        for name, further in list((keyed or read).items())[:_FIELDS]
    }
    return parts if keyed else Built(types.SimpleNamespace, parts)


def _of_class(hint: Any, depth: int) -> Any:
    """Returns how to make an object of a class of the project, or a member of an enumeration; None for other hints."""
    for one in _alternatives(hint):
        if not inspect.isclass(one) or not depth:
            continue
        if issubclass(one, enum.Enum):
            return next(iter(one), None)
        if not _is_of_project(one):
            continue
        hints = _hints(one)
        required = {name: own for name, own in parameters(one).items() if own.default is EMPTY}
        if len(required) <= _FIELDS:
            return Built(
                one,
                {
                    name: value_for(name, own, hints.get(name, EMPTY), depth=depth - 1)
                    for name, own in required.items()
                },
            )
    return None


def _alternatives(hint: Any) -> tuple[Any, ...]:
    """Returns the classes that a hint such as `Config | None` names."""
    if typing.get_origin(hint) in (typing.Union, types.UnionType):
        return tuple(one for one in typing.get_args(hint) if one is not type(None))
    return (hint,)


def _is_of_project(one: type) -> bool:
    """Whether a class is written in Python, by somebody else than torch or Python, and can have objects."""
    package = one.__module__.partition(".")[0]
    if package in ("torch", "builtins") or package in sys.stdlib_module_names or inspect.isabstract(one):
        return False
    return not issubclass(one, torch.Tensor) and not getattr(one, "_is_protocol", False)


def _hints(target: type) -> dict[str, Any]:
    """Returns the annotations of a constructor's parameters, evaluated; those that cannot be are left out."""
    begin = target.__new__ if target.__init__ is object.__init__ else target.__init__  # type: ignore[misc]  # asked for
    try:
        return typing.get_type_hints(begin)
    except Exception:  # whatever an annotation raises when it is evaluated
        found = {}
        names = vars(sys.modules.get(target.__module__, types.ModuleType("")))
        for name, one in parameters(target).items():
            hint = one.annotation
            if isinstance(hint, str) and re.fullmatch(r"\w+", hint):
                hint = names.get(hint, EMPTY)
            found[name] = hint
        return found


# --- what is read


def read_of(target: Any, names: set[str]) -> dict[str, Reads]:
    """Returns what a class or function reads of its parameters of these names, also where `self` keeps them."""
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(target)))
    except (OSError, TypeError, SyntaxError):
        return {}
    kept = dict(_kept(tree, names))
    found: dict[str, Reads] = {}
    tested = _tested(tree)
    called = {id(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    for node in ast.walk(tree):
        path = _path(node)
        if len(path) > 2 and path[0] == "self" and path[1] in kept:
            path = [kept[path[1]], *path[2:]]
        if id(node) in called:
            path = path[:-1]  # a method: what it belongs to has to have it
        if len(path) == 2 and path[1].removeprefix("[") in tested.get(path[0], ()):
            continue  # it may be missing, and does without guesses
        if len(path) > 1 and path[0] in names:
            place = found.setdefault(path[0], {})
            for part in path[1:]:
                place = place.setdefault(part, {})
    return found


def _kept(tree: ast.AST, names: set[str]) -> Iterator[tuple[str, str]]:
    """Yields the attributes of `self` that are set to a parameter, with its name."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Name) and node.value.id in names:
            for one in node.targets:
                if isinstance(one, ast.Attribute) and _path(one)[:1] == ["self"]:
                    yield one.attr, node.value.id


def _tested(tree: ast.AST) -> dict[str, set[str]]:
    """Returns the names of dicts of which the code asks whether a string is in them, with those strings."""
    found: dict[str, set[str]] = {}
    for node in ast.walk(tree):
        match node:
            case ast.Compare(
                left=ast.Constant(value=str(key)),
                ops=[ast.In() | ast.NotIn()],
                comparators=[ast.Name(id=name)],
            ):
                found.setdefault(name, set()).add(key)
    return found


def _path(node: ast.AST) -> list[str]:
    """Returns `a.b["c"]` as its parts `a`, `b`, `[c`; empty for anything but attributes and string keys of a name."""
    parts: list[str] = []
    while True:
        match node:
            case ast.Attribute(value=value, attr=attr):
                parts.append(attr)
            case ast.Subscript(value=value, slice=ast.Constant(value=str(key))):
                parts.append(f"[{key}")
            case ast.Name(id=name):
                return [name, *reversed(parts)] if parts else []
            case _:
                return []
        node = value
